import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { expect, it } from "vitest"
import { costMeaning, storyOf } from "../src/pages/calls/story.ts"

const call = (kept: boolean): CallStory => ({
  id: "req_2",
  key: "key_1",
  key_label: "demo",
  operation: "rerank",
  model: null,
  state: "settled",
  failed: false,
  status: 200,
  cost_state: "settled",
  value_micros_usd: 300,
  charged_micros_usd: 300,
  input_tokens: 0,
  output_tokens: 0,
  kept,
  upstream: null,
  error: null,
  created_at: "2026-01-01T00:00:00.000Z",
  ended_at: "2026-01-01T00:00:00.002Z",
  tags: {},
  reserved_micros_usd: 300,
  cap_micros_usd: null,
  charged_nano_usd: "300000",
  refunded_micros_usd: 0,
  refund: null,
  loss_micros_usd: 0,
  loss_nano_usd: "0",
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  evidence: null,
  gaps: [],
  tried: [],
  idempotency: null,
  task: null
})

const titles = (kept: boolean) => storyOf(call(kept)).map(({ title }) => title)

it("the page of a call says that a cached answer was found, and what the charge is a share of", () => {
  expect(titles(true)).toEqual([
    "Received",
    "$0.0003 reserved",
    "A cached answer was found",
    "Answered with 200",
    "Settled"
  ])
  expect(costMeaning(call(true))).toBe("You pay a share of what the cached answer cost at first.")
})

it("the page of any other call does not speak of cached answers", () => {
  expect(titles(false)).not.toContain("A cached answer was found")
  expect(costMeaning(call(false))).toBe("The charge follows from what the upstream reported.")
})

it("the page of a call says where it was sent, and where not", () => {
  const tried = [
    { upstream: "first", outcome: "paused" },
    { upstream: "second", outcome: "rate limited" },
    { upstream: "third", model: "small", outcome: "answered" }
  ]
  const events = storyOf({ ...call(false), tried }).slice(2, 5)
  expect(events.map(({ text, title }) => [title, text])).toEqual([
    ["Not sent to first", "The upstream was passed over: paused."],
    ["Sent to second", "It did not answer: rate limited."],
    ["Sent to third as small", "It answered."]
  ])
})
