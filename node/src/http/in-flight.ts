/** How many requests wait for the end of their answer, and a way to wait until there is none. */
export class InFlight {
  #count = 0;
  #onIdle: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onIdle?.();
  }

  /** Resolves to true when nothing is in flight, or to false after `ms`. Only the last caller is notified. */
  async settled(ms: number): Promise<boolean> {
    if (this.#count === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const idle = await new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, ms, false);
      this.#onIdle = () => {
        resolve(true);
      };
    });
    clearTimeout(timer);
    return idle;
  }
}
