package main

// What a run says, as JSON.

type eventFacts struct {
	*event
	OpenedAt string  `json:"opened_at"`
	ClosedAt *string `json:"closed_at"`
}

// notChecked is what no line of this program looks at.
var notChecked = []string{
	"rules and reports: signatures, reads and how a number follows from them",
	"answers of the Referee, studies of base rates, anchors, co-signers, prints, and lists of the index entry but events",
	"what is behind commitments: prices, moves, volumes and returns, as far as leaves do not fix them",
	"that a round was made for every period that is due",
}

func report(r *record, head checkpoint, wrong *finding) map[string]any {
	outcome := "verified"
	if wrong != nil {
		outcome = "findings"
	}
	events := []eventFacts{}
	for _, e := range r.terminal.events {
		facts := eventFacts{event: e, OpenedAt: formatTime(e.OpenedAt)}
		if e.ClosedAt != nil {
			at := formatTime(*e.ClosedAt)
			facts.ClosedAt = &at
		}
		events = append(events, facts)
	}
	rounds := []map[string]any{}
	for _, each := range r.arena.order {
		rounds = append(rounds, each.facts())
	}
	return map[string]any{
		"outcome": outcome, "finding": wrong, "log_id": r.id(), "size": head.size, "not_checked": notChecked,
		"ticks":  r.terminal.classes["crypto"].ticks + r.terminal.classes["stock"].ticks,
		"events": events, "questions": r.referee.asked, "outcomes": r.referee.decided,
		"rounds": rounds, "standings": r.arena.table(),
	}
}

func (r *round) facts() map[string]any {
	out := map[string]any{"id": r.id, "forecasts": len(r.forecasts), "opens_at": formatTime(r.opens),
		"closes_at": formatTime(r.closes), "drand_round": r.drandRound, "state": "open", "results": nil}
	if r.freeze != nil {
		out["state"] = "frozen"
	}
	if r.unseal != nil {
		out["state"] = "unsealed"
	}
	if r.grade != nil && r.grade.done {
		out["state"], out["void_reason"], out["results"] = "graded", r.grade.void, r.grade.listed
		out["arena"] = r.grade.body["arena"]
	}
	return out
}
