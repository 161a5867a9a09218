import { expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import * as Utf8 from "@tollgate/contract/Utf8"
import { failing } from "../../src/call/failing.ts"
import { Scrubber } from "../../src/upstream/Scrubber.ts"

const scrubber = new Scrubber(["Bearer upstream-secret-0123456789"])

it("an answer of 2xx that says it failed does not bring the gateway's credential into the store", () => {
  const bytes = Utf8.encode('{"code":401,"message":"wrong key upstream-secret-0123456789"}')
  const answer = { status: 200, contentType: "application/json", headers: {}, bytes }
  const scrub = (body: Uint8Array) => scrubber.bytes(body)
  const { error } = failing({ operation: { names: defaults } }, { answer, provider: "theirs", scrub })
  expect(error?.message).toBe("wrong key [redacted]")
})
