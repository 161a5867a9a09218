import { expect, it } from "vitest"
import { ownerOf, type Principal } from "@tollgate/ledger/credential/Keys"
import { challenge, isFor, resourcesAt } from "../../../src/identity/grant/Resources.ts"

const key: Principal = {
  account: "acct_1",
  key: "key_2",
  rootKey: "key_1",
  allowance: { rpm: 1, tpm: 1, concurrency: 1 },
  multiplier: 1n
}
const resources = resourcesAt("https://gate.example")

it("tasks and linked accounts belong to a key and its rotations, or to the account of an access token", () => {
  expect(ownerOf(key)).toBe("key_1")
  const grant = { id: "gr_1", scopes: new Set(["use"]), resource: resources.api }
  expect(ownerOf({ ...key, key: "gr_1", rootKey: "gr_1", grant })).toBe("acct_1")
})

it("a token for the gateway is good for both endpointGroups, one for the tools for the tools, and any other for none", () => {
  const { api, tools } = resources
  const good = [api, tools, "https://gate.example/", "https://other.example"].map((resource) => [
    isFor(resources, resource, undefined),
    isFor(resources, resource, "tools")
  ])
  expect(good).toEqual([
    [true, true],
    [false, true],
    [false, false],
    [false, false]
  ])
})

it("a challenge leads to the metadata of the via, and to nothing without OAuth", () => {
  expect(challenge(undefined, undefined, { error: "invalid_token" })).toBe("Bearer")
  expect(challenge(resources, "tools")).toBe(
    'Bearer resource_metadata="https://gate.example/.well-known/oauth-protected-resource/mcp"'
  )
})
