import { compared, failedIn, listedIn, reportIn } from "@tollgate/testing/conformance/report"
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

describe("the list of checks that do not apply", () => {
  const failed = failedIn("server-tools-call-image-2026-11-17T22-57-39-907Z", [
    { id: "tools-call-image", status: "FAILURE", errorMessage: "no tool" },
    { id: "wire", status: "SUCCESS" }
  ])
  const document = "text\n\n| checks | why |\n| --- | --- |\n| `tools-call-image`, `b` | `c` |\n\n| `d` | |\n"

  it("is read from a table", () => {
    expect(listedIn(document, "checks")).toEqual(["tools-call-image", "b"])
    expect(listedIn(document, "others")).toEqual([])
  })

  it("must name every check that failed, and no other", () => {
    expect(failed).toEqual([{ scenario: "tools-call-image", check: "tools-call-image", message: "no tool" }])
    expect(compared(["tools-call-image"], failed)).toEqual({ notListed: [], notFailed: [] })
    expect(compared(["tools-call-*", "b"], failed)).toEqual({ notListed: failed, notFailed: ["tools-call-*", "b"] })
  })
})
