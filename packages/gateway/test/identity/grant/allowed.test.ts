import { describe, expect, it } from "@effect/vitest"
import type { OfTask } from "@tollgate/contract/CustomTask"
import { isAllowed } from "../../../src/identity/grant/Allowed.ts"

const task: OfTask["task"] = {
  id: ["id"],
  status: ["state"],
  ends: { SUCCEEDED: ["done"], FAILED: [], CANCELED: [] },
  poll: { method: "GET", path: "/jobs/{id}" }
}

const ofRenders = (does: OfTask["does"], create = "renders.create") => ({
  id: `renders.${does}`,
  category: "renders",
  ofTask: { create, does, task }
})

describe("a grant that allows an operation which starts tasks", () => {
  const allows = { categories: new Set<string>(), operations: new Set(["renders.create"]) }

  it("allows to look after its tasks, and not after those of another operation", () => {
    expect(isAllowed(allows, ofRenders("get"))).toBe(true)
    expect(isAllowed(allows, ofRenders("cancel"))).toBe(true)
    expect(isAllowed(allows, ofRenders("get", "clips.create"))).toBe(false)
    expect(isAllowed(allows, { id: "renders.list", category: "renders" })).toBe(false)
  })
})
