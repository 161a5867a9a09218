import { compared, failedIn, listedIn } from "@tollgate/testing/conformance/report"
import { describe, expect, it } from "vitest"

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
