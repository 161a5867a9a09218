import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { expect, it } from "vitest"
import { draftOf, fragmentOf, sharedIn } from "../src/pages/playground/state/Draft.ts"

const operation: OfferedOperation = {
  id: "chat.completions",
  template: "chat.completions",
  category: "models",
  summary: "Answer a conversation",
  method: "POST",
  path: "/v1/chat/completions",
  input_schema: {},
  is_custom: false,
  example: { model: "m", messages: [] },
  price: "$1 in, $4 out / 1M tokens",
  is_free: false,
  streams: true,
  starts_task: false,
  family: "openai",
  limits: "",
  models: ["m"]
}

const draft = {
  ...draftOf(operation),
  arguments: { model: "m", messages: [{ role: "user", content: "Größe? 🌊" }] },
  cap: "0.01"
}

it("a link carries the call and its cap", () => {
  expect(sharedIn(fragmentOf(draft) ?? "", operation)).toMatchObject({
    arguments: draft.arguments,
    cap: "0.01",
    streams: true,
    view: "chat"
  })
})

it("a call that is too long has no link", () => {
  expect(fragmentOf({ ...draft, arguments: { text: "a".repeat(8_000) } })).toBeUndefined()
})

const linkTo = (value: unknown) => `#call=${btoa(JSON.stringify(value))}`

it.each([
  "",
  "#call=",
  "#call=%%%",
  "#call=AAAA",
  `#call=${"A".repeat(9_000)}`,
  linkTo(null),
  linkTo([]),
  linkTo({ arguments: [] }),
  linkTo({ arguments: "a" })
])("%s is no link of ours", (fragment) => {
  expect(sharedIn(fragment.slice(0, 10_000), operation)).toBeUndefined()
})

it("a link sets nothing else, and nothing that is wrong", () => {
  const odd = { arguments: {}, cap: "free", streams: "yes", view: "admin", scenario: "status; code=500", key: "tg_1" }
  expect(sharedIn(linkTo(odd), operation)).toEqual({
    arguments: {},
    cap: "",
    streams: false,
    view: "form",
    texts: {},
    text: undefined,
    scenario: ""
  })
})
