import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import * as ApiError from "../src/errors/ApiError.ts"
import { type Code, codes } from "../src/errors/codes.ts"
import { decode, type WireAnswer } from "../src/errors/decode.ts"
import { encode } from "../src/errors/encode.ts"
import type { Refusal } from "../src/errors/Refused.ts"
import { explain, faultWords } from "../src/errors/explain.ts"
import { families, type Family } from "../src/errors/Family.ts"
import { defaults, type Names } from "../src/Names.ts"
import { usage } from "../src/operations/usage.ts"
import { character } from "./unicode.ts"

const now = Date.UTC(2025, 0, 31, 12, 0, 0)
const everyCode = Object.keys(codes) as ReadonlyArray<Code>
const limitCodes: Array<Code> = ["rate_limit_exceeded", "upstream_rate_limit", "quota_exceeded", "balance_reserved"]
const everyPair = families.flatMap((family) => everyCode.map((code) => [family, code] as const))

const send = (family: Family, refusal: Refusal, more: Record<string, string> = {}): WireAnswer => {
  const wire = encode(family, refusal)
  const headers = { ...wire.headers, ...more, "Content-Type": "application/json; charset=utf-8" }
  return {
    status: wire.status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: JSON.stringify(wire.body)
  }
}
const receive = (answer: Partial<WireAnswer>, names: Names = defaults) =>
  decode({ status: 500, headers: {}, body: "", ...answer }, names, now)
const json = (status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

describe("an error of the gateway, encoded and decoded again", () => {
  it.each(everyPair)("%s: %s", (family, code) => {
    const answer = send(family, { code, message: "Über the limit", requestId: "req_1", retryAfter: 2_500 })
    const details = receive(answer)
    assert.strictEqual(details.status, codes[code].status)
    assert.strictEqual(details.message, "Über the limit")
    const carriesCode = family !== "usage" || limitCodes.includes(code)
    assert.strictEqual(details.code, carriesCode ? code : undefined)
    assert.strictEqual(details.requestId, "req_1")
    assert.strictEqual(details.retryAfter, 3_000)
    // Without its code an error may prove less, never more.
    const proven = carriesCode || details.outcome !== "unknown" ? codes[code].outcome : "unknown"
    assert.strictEqual(details.outcome, proven)
    assert.strictEqual(details.charge.state, proven === "not executed" ? "none" : "unknown")
    assert.strictEqual(details.body, answer.body)
  })

  it.each(families)("%s: request id and retry-after stay absent if they were not sent", (family) => {
    const details = receive(send(family, { code: "invalid_request", message: "no" }))
    assert.notProperty(details, "requestId")
    assert.notProperty(details, "retryAfter")
  })

  it.each(families)("%s: any message is decoded unchanged", (family) => {
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1 }), fc.constantFrom(...everyCode), (message, code) =>
        assert.strictEqual(receive(send(family, { code, message })).message, message)
      )
    )
  })

  it.each(["upstream_unreachable", "upstream_failed", "upstream_timeout"] as const)(
    "%s has the same outcome on 503, for a managed upstream",
    (code) => {
      const native = receive(send("data", { code, message: "m" }))
      const managed = receive(send("data", { code, message: "m", status: 503 }))
      assert.deepStrictEqual([native.status, managed.status], [502, 503])
      assert.strictEqual(managed.outcome, native.outcome)
    }
  )

  it("the charge comes from the headers with the gateway's provider name", () => {
    const names = { ...defaults, provider: "Acme" }
    const charge = (headers: Record<string, string>, status = 500) => receive({ status, headers }, names).charge
    assert.deepStrictEqual(charge({ "x-acme-cost-state": "settled", "x-acme-cost-micros-usd": "1880" }), {
      state: "settled",
      micros: 1_880,
      usd: "0.00188"
    })
    assert.deepStrictEqual(charge({ "x-acme-cost-state": "none" }), { state: "none" })
    assert.deepStrictEqual(charge({ "x-tollgate-cost-state": "settled", "x-tollgate-cost-micros-usd": "1" }), {
      state: "unknown"
    })
    assert.deepStrictEqual(charge({ "x-acme-cost-micros-usd": "9007199254740991" }), {
      state: "unknown",
      micros: Number.MAX_SAFE_INTEGER,
      usd: "9007199254.740991"
    })
    for (const nonsense of ["", "-1", "1.5", "1e3", "NaN", "9007199254740993", "9".repeat(30)]) {
      assert.deepStrictEqual(charge({ "x-acme-cost-state": "free", "x-acme-cost-micros-usd": nonsense }), {
        state: "unknown"
      })
    }
  })

  it("an amount without a cost state leaves the charge unknown", () => {
    const { charge } = receive({ status: 429, headers: { "x-tollgate-cost-micros-usd": "5" } })
    assert.deepStrictEqual(charge, { state: "unknown", micros: 5, usd: "0.000005" })
  })
})

describe("the hint about repeating", () => {
  const hint = (code: Code, retryAfter?: number) =>
    encode("openai", { code, message: "m", ...(retryAfter === undefined ? {} : { retryAfter }) }).headers[
      "X-Should-Retry"
    ]

  it("is left to the SDK only where nothing ran, or the key protects, and the state passes", () => {
    assert.sameMembers(
      everyCode.filter((code) => hint(code) === undefined),
      [
        "idempotency_in_flight",
        "rate_limit_exceeded",
        "upstream_rate_limit",
        "balance_reserved",
        "upstream_unreachable",
        "billing_unavailable",
        "issuer_unavailable",
        "limits_unavailable",
        "overloaded",
        "shutting_down",
        "contract_source_unavailable"
      ]
    )
  })

  it("is false for whatever may have run, and for what a repeat cannot change", () => {
    for (const code of everyCode) {
      const may = codes[code].outcome !== "not executed" && code !== "idempotency_in_flight"
      if (may || codes[code].status === 402) assert.strictEqual(hint(code), "false", code)
    }
  })

  it("is false if the wait is longer than a minute", () => {
    assert.isUndefined(hint("rate_limit_exceeded", 60_000))
    assert.strictEqual(hint("rate_limit_exceeded", 60_001), "false")
  })
})

describe("a wait longer than a minute", () => {
  const refusal = { code: "rate_limit_exceeded", message: "Full.", retryAfter: 5_400_001 } as const

  it("is in Retry-After, and SDKs are told not to sleep through it", () => {
    const { headers } = encode("openai", refusal)
    assert.deepStrictEqual(headers, { "Retry-After": "5401", "X-Retry-After": "5401", "X-Should-Retry": "false" })
  })

  it.each(families)("%s: is in the message and reaches the client", (family) => {
    const details = receive(send(family, refusal))
    assert.strictEqual(details.message, "Full. Try again in 1 hour 31 minutes.")
    assert.strictEqual(details.retryAfter, 5_401_000)
  })
})

describe("the status of each code", () => {
  const statuses: Partial<Record<Code, number>> = {
    invalid_request: 400,
    quote_unsupported: 400,
    missing_credential: 401,
    invalid_credential: 401,
    over_cap: 402,
    over_budget: 402,
    insufficient_balance: 402,
    missing_scope: 403,
    access_denied: 403,
    route_not_found: 404,
    idempotency_in_flight: 409,
    idempotency_completed: 409,
    idempotency_unknown: 409,
    contract_mismatch: 409,
    idempotency_mismatch: 422,
    rate_limit_exceeded: 429,
    upstream_rate_limit: 429,
    quota_exceeded: 429,
    balance_reserved: 429,
    unsupported_uri: 500,
    upstream_unreachable: 502,
    upstream_failed: 502,
    upstream_timeout: 502,
    upstream_misconfigured: 503,
    billing_unavailable: 503,
    billing_misconfigured: 503,
    issuer_unavailable: 503,
    model_not_found: 404,
    verified_sales_source_unavailable: 503
  }
  it.each(Object.entries(statuses))("%s is %d", (code, status) => {
    const wire = encode("data", { code: everyCode.find((known) => known === code)!, message: "m" })
    assert.strictEqual(wire.status, status)
  })

  it("the three rate-limit codes are the only ones on 429", () => {
    assert.sameMembers(
      everyCode.filter((code) => codes[code].status === 429),
      limitCodes
    )
  })
})

describe("the body of each family", () => {
  const refusal = { code: "over_cap", message: "m", requestId: "r", param: "model" } as const
  const bare = { code: "missing_credential", message: "m" } as const
  const limited = { code: "quota_exceeded", message: "m", requestId: "r", retryAfter: 1 } as const
  const shapes: Record<Family, { readonly refusal: unknown; readonly bare: unknown; readonly limited: unknown }> = {
    usage: {
      refusal: { error: "m" },
      bare: { error: "m" },
      limited: { error: { code: "quota_exceeded", message: "m", type: "rate_limit_error" } }
    },
    data: {
      refusal: { error: { code: "over_cap", message: "m", type: "budget_error", request_id: "r" } },
      bare: { error: { code: "missing_credential", message: "m", type: "authentication_error" } },
      limited: { error: { code: "quota_exceeded", message: "m", type: "rate_limit_error", request_id: "r" } }
    },
    openai: {
      refusal: { error: { message: "m", type: "budget_error", param: "model", code: "over_cap" } },
      bare: { error: { message: "m", type: "authentication_error", param: null, code: "missing_credential" } },
      limited: { error: { message: "m", type: "rate_limit_error", param: null, code: "quota_exceeded" } }
    },
    anthropic: {
      refusal: { type: "error", error: { type: "billing_error", message: "m", code: "over_cap" }, request_id: "r" },
      bare: { type: "error", error: { type: "authentication_error", message: "m", code: "missing_credential" } },
      limited: {
        type: "error",
        error: { type: "rate_limit_error", message: "m", code: "quota_exceeded" },
        request_id: "r"
      }
    },
    gemini: {
      refusal: { error: { code: 402, message: "m", status: "FAILED_PRECONDITION" }, code: "over_cap" },
      bare: { error: { code: 401, message: "m", status: "UNAUTHENTICATED" }, code: "missing_credential" },
      limited: {
        error: { code: 429, message: "m", status: "RESOURCE_EXHAUSTED", type: "rate_limit_error" },
        code: "quota_exceeded"
      }
    },
    task: {
      refusal: { code: "over_cap", message: "m", request_id: "r" },
      bare: { code: "missing_credential", message: "m" },
      limited: {
        code: "quota_exceeded",
        message: "m",
        request_id: "r",
        error: { code: "quota_exceeded", message: "m", type: "rate_limit_error" }
      }
    }
  }

  it.each(families)("%s", (family) => {
    assert.deepStrictEqual(encode(family, refusal).body, shapes[family].refusal)
    assert.deepStrictEqual(encode(family, bare).body, shapes[family].bare)
    assert.deepStrictEqual(encode(family, limited).body, shapes[family].limited)
  })

  it.each(families.flatMap((family) => limitCodes.map((code) => [family, code] as const)))(
    "%s: %s has the type rate_limit_error and its code as text",
    (family, code) => {
      const wire = encode(family, { code, message: "m", retryAfter: 1_200 })
      const { code: top, error } = wire.body as {
        readonly code?: unknown
        readonly error: { readonly type: unknown; readonly code: unknown }
      }
      assert.strictEqual(wire.status, 429)
      assert.strictEqual(wire.headers["Retry-After"], "2")
      assert.strictEqual(error.type, "rate_limit_error")
      assert.strictEqual(family === "gemini" ? top : error.code, code)
      if (family === "gemini") assert.strictEqual(error.code, 429)
    }
  )

  it.each(families)("%s has the same body for every code", (family) => {
    for (const code of everyCode) {
      const { body, status } = encode(family, { code, message: "m" })
      const { error } = body as { readonly error?: { readonly code?: unknown } }
      if (family === "gemini") assert.strictEqual(error?.code, status)
      else if (family === "task") assert.strictEqual(error !== undefined, status === 429, "flat but for 429")
      else if (family === "usage") assert.strictEqual(typeof error === "string", status !== 429)
      else assert.strictEqual(error?.code, code)
    }
  })

  it("every family has the request id in a header", () => {
    for (const family of families) assert.strictEqual(encode(family, refusal).headers["X-Request-ID"], "r")
  })
})

describe("errors of other services", () => {
  it.each([
    [
      "openai",
      json(401, {
        error: { message: "Incorrect API key", type: "invalid_request_error", param: null, code: "invalid_api_key" }
      }),
      { message: "Incorrect API key", type: "invalid_request_error", code: "invalid_api_key" }
    ],
    [
      "openai, no code",
      json(400, { error: { message: "Bad", type: "invalid_request_error", param: "messages", code: null } }),
      { message: "Bad", type: "invalid_request_error" }
    ],
    [
      "anthropic",
      json(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_011" }),
      { message: "Overloaded", type: "overloaded_error", requestId: "req_011" }
    ],
    [
      "gemini",
      json(429, { error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details: [{ "@type": "x" }] } }),
      { message: "Quota", type: "RESOURCE_EXHAUSTED" }
    ],
    [
      "gemini, in a list",
      json(400, [{ error: { code: 400, message: "Bad", status: "INVALID_ARGUMENT" } }]),
      { message: "Bad", type: "INVALID_ARGUMENT" }
    ],
    [
      "stripe",
      json(402, { error: { code: "card_declined", message: "Declined", type: "card_error", doc_url: "https://x" } }),
      { message: "Declined", type: "card_error", code: "card_declined" }
    ],
    [
      "error as text, code and id beside it",
      json(500, { error: "It broke", code: "E_BROKE", request_id: "r9" }),
      { message: "It broke", code: "E_BROKE", requestId: "r9" }
    ],
    [
      "everything inside the error",
      json(500, { error: { message: "m", code: "c", type: "t", request_id: "r" } }),
      { message: "m", code: "c", type: "t", requestId: "r" }
    ],
    [
      "flat",
      json(400, { code: "InvalidParameter", message: "Bad size", request_id: "r" }),
      { message: "Bad size", code: "InvalidParameter", requestId: "r" }
    ],
    [
      "problem details",
      {
        ...json(409, { type: "https://x/conflict", message: "m" }),
        headers: { "content-type": "application/problem+json" }
      },
      { message: "m", type: "https://x/conflict" }
    ],
    ["unsupported uri", json(500, { message: "unsupported uri" }), { message: "unsupported uri" }],
    ["a numeric code, as the reseller sends", json(422, { code: 422, message: "m" }), { message: "m" }],
    ["an error that is null", json(500, { error: null, message: "m" }), { message: "m" }],
    ["an error that is a list", json(500, { error: [{ message: "x" }], message: "m" }), { message: "m" }],
    ["an empty error", json(500, { error: "", message: "m" }), { message: "m" }],
    ["no content type", { status: 500, headers: {}, body: `{"error":"m"}` }, { message: "m" }]
  ] as const)("%s", (_, answer, expected) => {
    const { code, message, requestId, type } = receive(answer)
    const found = { message, code, type, requestId }
    assert.deepStrictEqual(
      Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
      expected
    )
  })

  it.each([
    ["HTML", "text/html", "<html>502</html>"],
    ["JSON that says it is HTML", "text/html", `{"error":{"code":"over_cap","message":"m"}}`],
    ["JSON cut off", "application/json", `{"error":{"code":"over_cap","mess`],
    ["text", "text/plain", "upstream connect error"],
    ["nothing", "application/json", ""],
    ["a number", "application/json", "5"],
    ["null", "application/json", "null"],
    ["text in JSON", "application/json", `"over_cap"`]
  ])("%s: only the status is decoded, and the body is kept", (_, type, body) => {
    const details = receive({ status: 502, headers: { "content-type": type }, body })
    assert.deepStrictEqual(details, {
      status: 502,
      message: "HTTP 502",
      outcome: "unknown",
      charge: { state: "unknown" },
      headers: { "content-type": type },
      body
    })
  })

  it("the request id in the header wins over the one in the body", () => {
    assert.strictEqual(receive(json(500, { request_id: "body" }, { "x-request-id": "head" })).requestId, "head")
    assert.strictEqual(receive(json(500, { request_id: "body" }, { "x-request-id": "" })).requestId, "body")
    assert.notProperty(receive(json(500, { request_id: 7 })), "requestId")
  })
})

describe("the outcome", () => {
  const outcome = (status: number, code: string) => receive(json(status, { error: { code, message: "m" } })).outcome

  it("ignores a code of the gateway on another status than its own", () => {
    assert.strictEqual(outcome(500, "rate_limit_exceeded"), "unknown")
    assert.strictEqual(outcome(503, "rate_limit_exceeded"), "unknown")
    assert.strictEqual(outcome(502, "over_cap"), "unknown")
    assert.strictEqual(outcome(404, "invalid_credential"), "unknown")
    assert.strictEqual(outcome(504, "upstream_unreachable"), "unknown")
    assert.strictEqual(outcome(500, "upstream_unreachable"), "unknown")
    assert.strictEqual(outcome(200, "rate_limit_exceeded"), "executed")
  })

  it("stays unknown on an ambiguous status, whatever the code, except on the code's own status", () => {
    const ambiguous = [404, 408, 409, 422, 500, 502, 503, 504, 520, 529]
    fc.assert(
      fc.property(fc.constantFrom(...everyCode), fc.constantFrom(...ambiguous), (code, status) => {
        const own = codes[code].status === status || (codes[code].type === "upstream_error" && status === 503)
        return own || outcome(status, code) === "unknown"
      }),
      { numRuns: 1_000 }
    )
  })

  it("is not executed for 400, 401, 402, 403 and 429", () => {
    for (const status of [400, 401, 402, 403, 429]) assert.strictEqual(receive({ status }).outcome, "not executed")
    for (const status of [404, 409, 422, 500, 502, 503, 504, 302, 101])
      assert.strictEqual(receive({ status }).outcome, "unknown")
  })

  it("is unknown for a code that is a property of every object", () => {
    for (const code of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      assert.strictEqual(outcome(500, code), "unknown")
    }
  })
})

describe("decoding any answer", () => {
  const loose = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom<unknown>(null, 0, -1, true, [], {}, "", [[]], { message: 7 }, { error: { error: "x" } })
  )
  const shaped = fc.record(
    {
      error: fc.oneof(loose, fc.record({ message: loose, code: loose, type: loose, request_id: loose })),
      code: loose,
      message: loose,
      type: loose,
      request_id: loose
    },
    { requiredKeys: [] }
  )
  const bodies = fc.oneof(
    fc.string({ unit: character }),
    fc.oneof(loose, shaped).map((value) => JSON.stringify(value)),
    fc.tuple(shaped, fc.nat(40)).map(([value, cut]) => JSON.stringify(value).slice(0, -cut - 1)),
    fc.constantFrom(
      "",
      "{",
      "<!doctype html><p>Bad gateway</p>",
      `{"__proto__":{"error":"x"},"error":{"__proto__":{"code":"over_cap"}}}`
    )
  )
  const secret = ["set-cookie", "authorization", "proxy-authorization", "x-api-key", "x-goog-api-key"]
  const headers = fc
    .tuple(
      fc.option(fc.constantFrom("application/json", "text/html", "application/problem+json; charset=utf-8", "", "??")),
      fc.dictionary(
        fc.constantFrom(
          ...secret,
          "x-request-id",
          "retry-after",
          "x-tollgate-cost-state",
          "x-tollgate-cost-micros-usd",
          "date",
          "__proto__"
        ),
        fc.oneof(fc.string(), fc.constantFrom("5", "settled", "none", "Fri, 31 Jan 2025 12:00:30 GMT"))
      )
    )
    .map(([type, rest]) => (type === null ? rest : { ...rest, "content-type": type }))
  const answers = fc.record({
    status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.integer()),
    headers,
    body: bodies
  })

  it("never throws, and keeps status, body and all headers except secrets", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const details = receive(answer)
        assert.strictEqual(details.status, answer.status)
        assert.strictEqual(details.body, answer.body)
        assert.deepStrictEqual(
          Object.entries(details.headers),
          Object.entries(answer.headers).filter(([name]) => !secret.includes(name))
        )
        assert.isNotEmpty(details.message)
        for (const text of [details.code, details.type, details.requestId]) {
          if (text !== undefined) assert.isTrue(typeof text === "string" && text !== "")
        }
      }),
      { numRuns: 3_000 }
    )
  })

  it("gives an error with the same status, message and body", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const details = receive(answer)
        const error = ApiError.make(usage.errors, { operation: "usage", ...details })
        assert.isTrue(error instanceof Error)
        assert.strictEqual(error.status, answer.status)
        assert.strictEqual(error.message, details.message)
        assert.strictEqual(error.body, answer.body)
      }),
      { numRuns: 1_000 }
    )
  })

  it("decodes a huge body and a deeply nested one", () => {
    const long = "x".repeat(5_000_000)
    assert.strictEqual(receive(json(500, { error: long })).message.length, long.length)
    const deep = `{"error":${"[".repeat(200_000)}${"]".repeat(200_000)},"message":"m"}`
    assert.strictEqual(receive({ headers: { "content-type": "application/json" }, body: deep }).message, "m")
  })
})

describe("the class of an error", () => {
  const classes = {
    400: ApiError.InvalidRequest,
    401: ApiError.Unauthenticated,
    402: ApiError.OverBudget,
    403: ApiError.Forbidden,
    404: ApiError.NotFound,
    409: ApiError.Conflict,
    422: ApiError.Unprocessable,
    429: ApiError.RateLimited,
    500: ApiError.ServerFault,
    502: ApiError.UpstreamFailed,
    503: ApiError.Unavailable
  }
  const declared = Object.keys(classes).map(Number) as ReadonlyArray<ApiError.DeclaredStatus>

  it.each(declared)("%d has its own class if the operation declares it, otherwise UnexpectedStatus", (status) => {
    const details = receive({ status, body: `{"message":"m"}` })
    const error = ApiError.make([status], { operation: "usage", ...details })
    assert.isTrue(error instanceof classes[status])
    assert.strictEqual(error._tag, classes[status].name)
    const others = declared.filter((other) => other !== status)
    const unexpected = ApiError.make(others, { operation: "usage", ...details })
    assert.instanceOf(unexpected, ApiError.UnexpectedStatus)
    assert.strictEqual(unexpected.status, status)
  })

  it("is UnexpectedStatus for a status that no operation can declare", () => {
    for (const status of [302, 405, 413, 418, 504, 599]) {
      assert.strictEqual(
        ApiError.make(declared, { operation: "usage", ...receive({ status }) })._tag,
        "UnexpectedStatus"
      )
    }
  })

  it.effect("can be caught by its tag and has all details", () =>
    Effect.gen(function* () {
      const answer = send("data", { code: "quota_exceeded", message: "Slow down", requestId: "r1", retryAfter: 4_000 })
      const error = ApiError.make([429], { operation: "usage", ...receive(answer) })
      const exit = yield* Effect.exit(Effect.fail(error))
      assert.deepStrictEqual(exit, Exit.fail(error))
      const caught = yield* Effect.fail(error).pipe(
        Effect.catchTag("RateLimited", (limited) => Effect.succeed([limited.code, limited.retryAfter, limited.outcome]))
      )
      assert.deepStrictEqual(caught, ["quota_exceeded", 4_000, "not executed"])
      const { body, charge, code, headers, message, outcome, requestId, retryAfter, status, type } = error
      assert.deepStrictEqual(
        { body, charge, code, headers, message, outcome, requestId, retryAfter, status, type },
        {
          body: answer.body,
          charge: { state: "none" },
          code: "quota_exceeded",
          headers: answer.headers,
          message: "Slow down",
          outcome: "not executed",
          requestId: "r1",
          retryAfter: 4_000,
          status: 429,
          type: "rate_limit_error"
        }
      )
    })
  )
})

it("an error that carries a charge can be logged as JSON", () => {
  const details = decode(
    { status: 500, headers: { "x-tollgate-cost-state": "settled", "x-tollgate-cost-micros-usd": "12" }, body: "" },
    defaults,
    0
  )
  const logged: unknown = JSON.parse(JSON.stringify(ApiError.make([500], { operation: "usage", ...details })))
  assert.deepNestedInclude(logged, { _tag: "ServerFault", status: 500 })
  assert.deepNestedPropertyVal(logged, "charge.micros", 12)
})

describe("an explanation", () => {
  it.each([...everyCode, "caller_left", "task_failed"])(
    "%s: says whose fault it is, and what to do in whole sentences",
    (code) => {
      const { fault, next } = explain({ code })
      assert.isDefined(faultWords[fault])
      assert.match(next, /^[A-Z].*\.$/)
    }
  )

  it("of a code that is an upstream's goes by the status", () => {
    const faults = [400, 401, 404, 429, 500, 529, 200].map((status) => explain({ code: "toString", status }).fault)
    assert.deepStrictEqual(faults, ["request", "operator", "request", "upstream", "upstream", "upstream", "upstream"])
    assert.match(explain({ code: null, status: null }).next, /may have run/)
  })
})
