// Runs samples/venue/rust over the cases of a file, for venue-reader.test.ts; its layout stands there.
#![forbid(unsafe_code)]

use std::io::{Read, Write};

#[path = "../../samples/venue/rust/final_value.rs"]
mod final_value;

use final_value::{Key, final_value};

fn take<'a>(rest: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, behind) = rest.split_at(length);
    *rest = behind;
    taken
}

fn number(rest: &mut &[u8]) -> usize {
    u32::from_le_bytes(take(rest, 4).try_into().unwrap()) as usize
}

fn key(rest: &mut &[u8]) -> Key {
    take(rest, 32).try_into().unwrap()
}

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let mut out = String::new();
    while !rest.is_empty() {
        let feed_at = key(&mut rest);
        let length = number(&mut rest);
        let feed = take(&mut rest, length);
        let length = number(&mut rest);
        let page = take(&mut rest, length);
        let period = number(&mut rest) as u32 as i32;
        let rule = key(&mut rest);
        let count = number(&mut rest);
        let own: Vec<Key> = (0..count).map(|_| key(&mut rest)).collect();
        let required = number(&mut rest);
        match final_value((&feed_at, feed), page, period, &rule, &own, required) {
            Some(value) => out.push_str(&format!("{value}\n")),
            None => out.push_str("none\n"),
        }
    }
    std::io::stdout().write_all(out.as_bytes()).unwrap();
}
