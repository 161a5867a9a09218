import { compared, failedIn, listedIn } from "@tollgate/testing/conformance/report"
import { describe, expect, it } from "vitest"

describe("the list of checks that do not apply", () => {
  const failed = failedIn("server-tools-call-image-2026-11-17T22-57-39-907Z", [
    { id: "tools-call-image", status: "FAILURE", errorMessage: "no tool" },
    { id: "wire", status: "SUCCESS" }
  ])
  const document = "text\n\nChecks:\n\n- they call `c`: `tools-call-image`, `b`\n\n- why: `d`\n"

  it("is read from a list", () => {
    expect(listedIn(document, "Checks:")).toEqual(["tools-call-image", "b"])
    expect(listedIn(document, "Others:")).toEqual([])
  })

  it("must name every check that failed, and no other", () => {
    expect(failed).toEqual([{ scenario: "tools-call-image", check: "tools-call-image", message: "no tool" }])
    expect(compared(["tools-call-image"], failed)).toEqual({ notListed: [], notFailed: [] })
    expect(compared(["tools-call-*", "b"], failed)).toEqual({ notListed: failed, notFailed: ["tools-call-*", "b"] })
  })
})
