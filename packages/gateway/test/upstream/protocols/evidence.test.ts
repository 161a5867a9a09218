import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { creatorInsights } from "@tollgate/contract/operations/creatorInsights"
import { financialSnapshot } from "@tollgate/contract/operations/financialSnapshot"
import { follow } from "@tollgate/contract/operations/follow"
import { imageGenerate } from "@tollgate/contract/operations/imageGenerate"
import { postComments } from "@tollgate/contract/operations/postComments"
import { rerank } from "@tollgate/contract/operations/rerank"
import { trafficEngagement } from "@tollgate/contract/operations/trafficEngagement"
import { tweetQuotes } from "@tollgate/contract/operations/tweetQuotes"
import { fill, defaults } from "@tollgate/contract/Names"
import * as Option from "effect/Option"
import type { Protocol } from "../../../src/upstream/Protocol.ts"
import { json } from "../../../src/upstream/protocols/json.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { isOwnAnswer } from "../../../src/upstream/protocols/customAnswer.ts"
import { answerOf, exchangeOf } from "./exchange.ts"

const perRequest = { contract: "per_request", amount: usd("1") } as const

const evidenceOf = (operation: Operation, text: string, contentType?: string, protocol: Protocol = json) => {
  const path = fill(operation.path ?? "/v1/bound", defaults)
  const exchange = exchangeOf(
    operation,
    path,
    operation.method === "GET" ? undefined : '{"query":"abcd","documents":["ab"]}'
  )
  const price = "amount" in operation.price && operation.price.amount === "pending" ? perRequest : operation.price
  const answer = { ...answerOf(text), ...(contentType === undefined ? {} : { contentType }) }
  return Option.getOrUndefined(protocol.evidence({ ...exchange, price }, answer))
}

const request = { kind: "request" }

describe("an answer proves its cost by its shape", () => {
  it.each<[string, Operation, string, object]>([
    ["a snapshot", financialSnapshot, '{"snapshot":{}}', request],
    ["quotes", tweetQuotes, '{"tweets":[]}', request],
    ["an unknown object", follow, '{"error":null,"ok":true}', request],
    ["an unknown list", follow, "[1]", request],
    ["an unknown text", follow, '"ok"', request],
    ["an unknown null", follow, "null", request],
    ["an image", imageGenerate, '{"data":[{}]}', request],
    ["a code", creatorInsights, '{"code":200}', { kind: "code", value: 200 }],
    ["another code", creatorInsights, '{"code":404,"x":1}', { kind: "code", value: 404 }],
    ["a code as text", creatorInsights, '{"code":"200"}', { kind: "failed" }],
    ["a code with a decimal point", creatorInsights, '{"code":200.0}', { kind: "failed" }],
    ["a code with an exponent", creatorInsights, '{"code":2e2}', { kind: "failed" }],
    ["two codes, the last with a decimal point", creatorInsights, '{"code":200,"code":200.0}', { kind: "failed" }],
    ["a failure", financialSnapshot, '{"success":false}', { kind: "failed" }],
    ["comments", postComments, '{"success":true,"comments":[{"id":"1"},{}]}', { kind: "items", count: 2 }],
    ["no comments", postComments, '{"comments":[]}', { kind: "items", count: 0 }],
    ["a ranking", rerank, '{"results":[{}],"usage":{"total_tokens":7}}', { kind: "tokens", total: 7 }],
    ["a ranking without usage", rerank, '{"results":[{}]}', { kind: "tokens", total: 2, isEstimate: true }],
    [
      "a ranking with a fraction of a token",
      rerank,
      '{"results":[{}],"usage":{"total_tokens":7.5}}',
      { kind: "tokens", total: 2, isEstimate: true }
    ]
  ])("%s", (_, operation, text, evidence) => {
    expect(evidenceOf(operation, text)).toEqual(evidence)
  })

  it.each<[string, Operation, string]>([
    ["no snapshot", financialSnapshot, "{}"],
    ["a snapshot of another type", financialSnapshot, '{"snapshot":[]}'],
    ["a list of snapshots", financialSnapshot, '[{"snapshot":{}}]'],
    ["quotes that are no objects", tweetQuotes, '{"tweets":["a"]}'],
    ["an error", follow, '{"error":{"message":"no"}}'],
    ["an error as text", follow, '{"error":"no"}'],
    ["HTML", follow, "<html></html>"],
    ["half an object", follow, '{"ok":tr'],
    ["two objects", follow, "{}{}"],
    ["nothing", follow, ""],
    ["no code", creatorInsights, "{}"],
    ["an inherited code", creatorInsights, '{"__proto__":{"code":200}}'],
    ["a list of codes", creatorInsights, '[{"code":200}]'],
    ["no list of comments", postComments, '{"comments":null}'],
    ["an object for comments", postComments, '{"comments":{"length":3}}'],
    ["comments that are no objects", postComments, '{"comments":[1,2,3]}'],
    ["comments that are null", postComments, '{"comments":[null]}'],
    ["no ranking", rerank, '{"usage":{"total_tokens":7}}'],
    ["a ranking of texts", rerank, '{"results":["a"],"usage":{"total_tokens":7}}'],
    ["a completion from a protocol without them", chatCompletions, '{"choices":[{"message":{}}]}']
  ])("%s does not", (_, operation, text) => {
    expect(evidenceOf(operation, text)).toBe(undefined)
  })

  it.each<[string, boolean]>([
    ["application/json; charset=utf-8", true],
    ["application/JSON ;charset=utf-8", true],
    ["application/problem+json", true],
    ["text/plain", false],
    ["application/jsonp", false],
    ["text/event-stream", false]
  ])("as %s: %s, unless the answer is pending", (contentType, proves) => {
    expect(evidenceOf(tweetQuotes, '{"tweets":[]}', contentType) !== undefined).toBe(proves)
    expect(evidenceOf(follow, "{}", contentType)).toEqual(request)
  })

  it("an image from an upstream of the OpenAI style", () => {
    expect(evidenceOf(imageGenerate, '{"data":[{}]}', undefined, openai)).toEqual(request)
  })

  it("a page without a type does not prove anything either, whatever types an operator declares", () => {
    const { operation } = exchangeOf(imageGenerate, "/v1/bound", "{}")
    const declared = {
      ...operation,
      contentType: "*/*",
      success: fromJsonSchema({ schema: {}, definitions: {} }),
      pending: []
    }
    const isAnswer = (text: string, contentType?: string) =>
      isOwnAnswer(declared, { ...answerOf(text), contentType }, undefined)
    expect(isAnswer("\ufeff\n <!DOCTYPE html><p>Blocked</p>")).toBe(false)
    expect(isAnswer("<html lang=en>")).toBe(false)
    expect(isAnswer("<htmlish/>")).toBe(true)
    expect(isAnswer("<svg/>", "image/svg+xml")).toBe(true)
  })

  describe.each<[string, Operation, typeof json]>([
    ["of images", imageGenerate, openai],
    ["of traffic data", trafficEngagement, json],
    ["of an action", follow, json]
  ])("a page never does, where the answer %s is pending", (_, operation, protocol) => {
    it.each<[string, string]>([
      ["<!doctype html><p>Blocked</p>", "text/html"],
      ["<p>Blocked</p>", "text/html; charset=utf-8"],
      ["<p>Blocked</p>", " TEXT/HTML ;charset=UTF-8"],
      ["<p>Blocked</p>", "text/html, text/html"],
      ["<p>Blocked</p>", "application/xhtml+xml"],
      ['{"data":[{}]}', "text/html"]
    ])("%j as %s", (text, contentType) => {
      expect(evidenceOf(operation, text, contentType, protocol)).toBe(undefined)
    })
  })
})
