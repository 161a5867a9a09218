import { reportIn } from "@tollgate/testing/conformance/report"
import { describe, expect, it } from "vitest"

const output = `
✓ mentioned-before-the-summary: 1 passed, 0 failed
=== SUMMARY ===
✓ tools-list: 3 passed, 0 failed
✗ auth/step-up: 1 passed, 1 failed
✗ tasks-lifecycle: 1 passed, 8 failed
✓ tasks-other: 0 passed, 0 failed

Total: 4 passed, 10 failed

Not scored for 2026-07-28: 2 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-lifecycle (extension)
  ✓ tasks-other (added-after-release)
`

describe("the report of the conformance suite", () => {
  it("counts the required scenarios, and names those that failed", () => {
    expect(reportIn(output)).toEqual({ required: 2, failed: ["auth/step-up"], optional: ["tasks-lifecycle"] })
  })

  it("has no scenarios if the suite did not run", () => {
    expect(reportIn("npm error 404").required).toBe(0)
  })
})
