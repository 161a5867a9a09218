import { describe, expect, it } from "@effect/vitest"
import { type Code, codes } from "@tollgate/contract/errors/codes"
import { refuse } from "@tollgate/contract/errors/Refused"
import * as Names from "@tollgate/contract/Names"
import { notApproved } from "../src/approval.ts"
import { partsOf } from "../src/parts.ts"
import { capRequired, errorOf, invalidAmount, overTotal, type ToolCode, totalRequired } from "../src/refusal.ts"
import type { ToolError } from "../src/shapes.ts"

/** The next call, or what the user has to do, for every code that a call can be refused with. */
const next: Readonly<Record<Code, RegExp>> = {
  invalid_request: /get_details/,
  quote_unsupported: /max_price_usd/,
  missing_credential: /key or sign in/,
  invalid_credential: /key or sign in/,
  over_cap: /max_usd.*max_price_usd/,
  over_budget: /account\.balance/,
  insufficient_balance: /account\.balance.*top it up/,
  missing_scope: /link the platform account/,
  access_denied: /connect this app/,
  insufficient_scope: /grant the scope/,
  operation_not_allowed: /search and list_categories/,
  model_not_allowed: /one that the message names/,
  address_not_allowed: /not for this machine/,
  approval_required: /link in the message/,
  route_not_found: /search/,
  previous_response_not_found: /`input`/,
  response_not_found: /`input`/,
  model_not_found: /models\.list/,
  method_not_allowed: /search/,
  idempotency_in_flight: /Wait.*same call/,
  idempotency_completed: /Do not repeat/,
  idempotency_unknown: /Do not repeat it with a new key/,
  contract_mismatch: /get_details/,
  body_too_large: /Send less/,
  unsupported_media_type: /get_details/,
  idempotency_mismatch: /new key/,
  rate_limit_exceeded: /Wait.*same call/,
  upstream_rate_limit: /Wait.*same call/,
  quota_exceeded: /account\.balance/,
  balance_reserved: /Wait/,
  unsupported_uri: /get_details/,
  internal_error: /may have run/,
  upstream_unreachable: /Wait.*same call/,
  upstream_failed: /may have run/,
  upstream_timeout: /may have run/,
  answer_not_metered: /another operation/,
  upstream_misconfigured: /another operation.*operator/,
  billing_unavailable: /Wait.*same call/,
  billing_misconfigured: /models\.list/,
  settlement_pending: /same idempotency_key/,
  issuer_unavailable: /Wait.*same call/,
  limits_unavailable: /Wait.*same call/,
  overloaded: /Wait.*same call/,
  shutting_down: /Wait.*same call/,
  gateway_stopped: /may have run/,
  verified_sales_source_unavailable: /No source.*operator/,
  contract_source_unavailable: /Wait.*same call/
}

describe("every refusal of a call", () => {
  it.each(Object.keys(codes) as ReadonlyArray<Code>)("names the next call, or what the user has to do: %s", (code) => {
    for (const hasKey of [true, false]) {
      const error = errorOf(refuse(code, "Why."), hasKey)
      expect(error.what_to_do).toMatch(next[code])
      expect(error.what_to_do).toMatch(/\.$/)
      expect(error.what_to_do.length).toBeLessThan(260)
      // Who is told to send the same call again may do so.
      if (/(?:^|\. |, )(?:then )?send the same call again\.$/i.test(error.what_to_do)) {
        expect(["safe", "same_key_only"]).toContain(error.repeat)
      }
    }
  })

  it("names the operation that links an account, by its name on this gateway", () => {
    const caller = {
      principal: undefined,
      names: { ...Names.defaults, social_a: "acme" },
      operation: {},
      resources: undefined
    }
    expect(errorOf(refuse("missing_scope", "No platform account is linked."), false, caller).what_to_do).toMatch(
      /Call the operation acme\.auth, which is free, .*auth_url/
    )
  })
})

describe("a task that is not there", () => {
  it("is looked for by its id, and not by a search for operations", () => {
    const caller = { principal: undefined, names: Names.defaults, resources: undefined }
    const refused = refuse("route_not_found", "Your account has no task with this id.")
    const ends = { SUCCEEDED: ["done"], FAILED: [], CANCELED: [] }
    const task = { id: ["id"], status: ["state"], ends, poll: { method: "GET", path: "/jobs/{id}" } } as const
    const ofTask = { create: "renders.create", does: "get", task } as const
    expect(errorOf(refused, false, { ...caller, operation: { ofTask } }).what_to_do).toMatch(/Check task_id/)
    expect(errorOf(refused, false, { ...caller, operation: {} }).what_to_do).toMatch(/search/)
  })
})

/** The tools' own refusals. `unknown_operation` depends on the catalogue: `money.test.ts` has it. */
const own: Readonly<Record<Exclude<ToolCode, "unknown_operation">, ReadonlyArray<readonly [unknown, RegExp]>>> = {
  invalid_arguments: [
    [invalidAmount("max_price_usd"), /Send max_price_usd as a plain number/],
    [partsOf(["a["]), /names with dots/]
  ],
  max_price_required: [[capRequired, /Ask the user.*max_price_usd/]],
  max_total_required: [[totalRequired, /Ask the user.*max_total_usd/]],
  over_total: [[overTotal, /not made. Ask the user.*total/]],
  not_approved: [
    [notApproved.no, /Do not send the call again/],
    [notApproved.declined, /Do not send the call again/],
    [notApproved.over, /Tell the user/]
  ]
}

describe("every refusal of a tool", () => {
  const rows = Object.entries(own).flatMap(([code, refusals]) =>
    refusals.map(([error, next]) => [code, error as ToolError, next] as const)
  )

  it.each(rows)("says that nothing ran, and what to change: %s", (code, error, next) => {
    expect(error).toMatchObject({ code, outcome: "not executed", repeat: "after_change" })
    expect(error.what_to_do).toMatch(next)
    expect(error.what_to_do).toMatch(/\.$/)
    expect(error.what_to_do.length).toBeLessThan(260)
  })
})
