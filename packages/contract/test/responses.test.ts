import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { responses } from "../src/operations/responses.ts"
import { contentOf } from "../src/price/content.ts"
import { choicesOf, ownLimit } from "../src/price/contracts/modelRequest.ts"
import { modelTokens } from "../src/price/contracts/modelTokens.ts"

const decode = Schema.decodeUnknownResult(responses.request.body as Schema.ConstraintDecoder<unknown>)
const problemOf = (body: object) =>
  Result.match(decode({ model: "m", input: "Hi", ...body }), {
    onSuccess: () => undefined,
    onFailure: ({ message }) => message
  })

describe("a request for a response", () => {
  it.each<[string, object, RegExp]>([
    ["background", { background: true }, /background.*not offered/s],
    ["previous_response_id that is no id", { previous_response_id: { id: "resp_1" } }, /id of a response/],
    ["conversation that is no id", { conversation: { id: 1 } }, /id of a conversation/],
    ["conversation without an id", { conversation: {} }, /id of a conversation/],
    ["conversation beside a response", { conversation: "conv_1", previous_response_id: "resp_1" }, /cannot stand/],
    ["conversation that is not kept", { conversation: "conv_1", store: false }, /must be true/],
    ["prompt", { prompt: { id: "pmpt_1" } }, /instructions/],
    ["store, as a text", { store: "true" }, /true or false/],
    [
      "a reference without an id",
      { input: [{ role: "user", content: "Hi" }, { type: "item_reference" }] },
      /id of an item/
    ],
    ["a reference whose id is none", { input: [{ id: ["msg_1"] }] }, /id of an item/],
    ["a reference whose type is null", { input: [{ type: null, id: 1, role: 1 }] }, /id of an item/]
  ])("that the gateway cannot serve is refused: %s", (_, body, message) => {
    assert.match(problemOf(body) ?? "", message)
  })

  it.each<[string, object]>([
    ["no such field", {}],
    ["null", { background: null, previous_response_id: null, conversation: null, prompt: null, store: null }],
    ["false", { background: false, store: false }],
    ["a reference", { store: true, previous_response_id: "resp_1", input: [{ type: "item_reference", id: "msg_1" }] }],
    ["fields that are not known", { new_field: { store: true } }],
    ["input of an unknown shape", { input: [null, 1, "x", { type: "reasoning", id: "rs_1", summary: [] }] }]
  ])("that refers to nothing passes: %s", (_, body) => {
    assert.isUndefined(problemOf(body))
  })

  it("limits its output by one field, and has one answer", () => {
    const { price } = responses
    if (price.contract !== "model_tokens") throw new Error("not priced by tokens")
    assert.strictEqual(ownLimit(price, { max_output_tokens: 9, max_tokens: 99 }), 9)
    assert.deepStrictEqual(modelTokens.boundField?.(price, {}), ["max_output_tokens"])
    assert.strictEqual(choicesOf(price, { n: 5 }), 1)
  })

  const png = `data:image/png;base64,${"A".repeat(9_000)}`
  it.each<[string, object, number]>([
    ["an image", { content: [{ type: "input_image", image_url: png, file_id: null }] }, 1],
    ["an image elsewhere", { content: [{ type: "input_image", image_url: "https://example.com/a.png" }] }, 1],
    ["an image of a file", { content: [{ type: "input_image", image_url: null, file_id: "file-1" }] }, 1],
    ["a document", { content: [{ type: "input_file", file_data: "data:application/pdf;base64,AAAA" }] }, 1],
    ["a document elsewhere", { content: [{ type: "input_file", file_url: "https://example.com/a.pdf" }] }, 1],
    ["an image from a tool", { type: "function_call_output", output: [{ type: "input_image", image_url: png }] }, 1],
    ["a screenshot", { type: "computer_call_output", output: { type: "computer_screenshot", image_url: png } }, 1]
  ])("is counted with its media: %s", (_, item, images) => {
    const content = contentOf({ model: "m", input: [{ role: "user", ...item }] })
    assert.strictEqual(content.images, images)
    assert.isBelow(content.bytes, 200)
  })

  it("is counted with all its texts", () => {
    const texts = { instructions: "a".repeat(100), input: "b".repeat(200), tools: [{ description: "c".repeat(400) }] }
    assert.isAtLeast(contentOf(texts).bytes, 700)
    const output = { type: "function_call_output", output: "d".repeat(500) }
    const document = {
      role: "user",
      content: [{ type: "input_file", file_data: `data:text/csv;base64,${"e".repeat(300)}` }]
    }
    assert.isAtLeast(contentOf({ input: [output, document] }).bytes, 800)
  })
})
