import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { modelQuestions } from "./githubModelQuestions.ts"
import { adminToken, sell } from "./selling.ts"

const document = process.env.OCTOKIT_OPENAPI ?? ""
const isThere = existsSync(document)
if (!isThere) {
  console.log(
    "Not run: the import of GitHub's document. Set OCTOKIT_OPENAPI to generated/api.github.com.json of @octokit/openapi@23.0.2"
  )
}

interface Written {
  readonly operations: ReadonlyArray<unknown>
}

/** A payment raises the limit of requests per minute: the questions are more than a new account may ask. */
const paid = async (gateway: Awaited<ReturnType<typeof sell>>): Promise<typeof gateway> => {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  const accounts = `${gateway.address}/admin/v1/accounts`
  const listed = (await (await fetch(accounts, { headers })).json()) as { accounts: ReadonlyArray<{ id: string }> }
  const body = JSON.stringify({ amount_micros_usd: 1_000_000 })
  const answer = await fetch(`${accounts}/${listed.accounts[0]?.id}/topups`, { method: "POST", headers, body })
  expect(answer.ok).toBe(true)
  return gateway
}

let selling: ReturnType<typeof sell> | undefined
/** One import and one gateway for all tests: it is a large document. */
const sold = () => (selling ??= sell(document, "--price", "0.002").then(paid))

describe.runIf(isThere)("GitHub's OpenAPI document", () => {
  it("is imported whole, and sold", async () => {
    const { call, file, heard, printed } = await sold()
    const { operations } = JSON.parse(readFileSync(file, "utf8")) as Written
    expect(operations).toHaveLength(1222)
    expect(printed).toContain("1222 of 1223 operations imported")
    expect(printed).toContain("has a server of its own: https://uploads.github.com")
    expect(await call("GET", "/repos/octo/hello/issues?state=open&per_page=5")).toBe("200 2000")
    expect(await call("GET", "/repos/octo/hello/issues?per_page=many")).toMatch(/^4\d\d /)
    expect(await call("POST", "/repos/octo/hello/issues", { title: "It breaks", labels: ["bug"] })).toBe("200 2000")
    expect(await call("POST", "/repos/octo/hello/issues", { body: "no title" })).toMatch(/^4\d\d /)
    expect(await call("PUT", "/user/starred/octo/hello")).toBe("200 2000")
    expect(await call("DELETE", "/user/starred/octo/hello")).toBe("204 2000")
    expect(heard).toEqual([
      "GET /repos/octo/hello/issues?state=open&per_page=5",
      'POST /repos/octo/hello/issues {"title":"It breaks","labels":["bug"]}',
      "PUT /user/starred/octo/hello",
      "DELETE /user/starred/octo/hello"
    ])
  })

  it("is searched by a model that has read the text of the tool: every operation is in the first five", async () => {
    const { search } = await sold()
    for (const [question, ...expected] of modelQuestions) {
      const found = (await search(question, 5)).map((id) => id.replace("api.", ""))
      expect(
        found.some((id) => expected.includes(id)),
        question
      ).toBe(true)
    }
  })
})
