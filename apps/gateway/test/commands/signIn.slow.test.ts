import { describe, expect, it } from "vitest"
import { bytesIn, start } from "../program.ts"
import { tollgate } from "../tollgate.ts"
import { idleStore, isoTime, runningGateway } from "./setup.ts"

const { data, newAccount } = idleStore()

const signIn = (environment: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
  tollgate({ TOLLGATE_DATA: data, ...environment }, "sign-in", ...words)

const linkIn = (stdout: string): string => /^http\S+$/m.exec(stdout)?.[0] ?? ""

describe("tollgate sign-in", () => {
  it("prints a link at the gateway's address, and the store does not contain it", async () => {
    const account = await newAccount()
    const printed = await signIn({ TOLLGATE_BASE_URL: "https://gateway.example.com" }, account)
    expect([printed.code, printed.stderr]).toEqual([0, ""])
    expect(linkIn(printed.stdout)).toMatch(/^https:\/\/gateway\.example\.com\/account\/sign-in\/[\w-]{43}$/)
    expect(bytesIn(data)).not.toContain(linkIn(printed.stdout).slice(-43))
  })

  it("prints JSON on request, and another link each time", async () => {
    const account = await newAccount()
    const links = await Promise.all(
      [1, 2].map(async () => JSON.parse((await signIn({ TOLLGATE_PORT: "8080" }, account, "--json")).stdout) as object)
    )
    expect(links[0]).toEqual({
      account,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/account\/sign-in\/[\w-]{43}$/),
      expires_at: expect.stringMatching(isoTime)
    })
    expect(links[1]).not.toEqual(links[0])
  })

  it("warns if no gateway was started on the data folder", async () => {
    const account = await newAccount()
    const printed = await start({ TOLLGATE_DATA: data, TOLLGATE_PORT: "8080" }, ["sign-in", account]).ended
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining("No gateway was started") })
    expect(linkIn(printed.stdout)).toContain("http://127.0.0.1:8080/account/sign-in/")
  })

  it("says in one line what is missing", async () => {
    const account = await newAccount()
    expect(await signIn({ TOLLGATE_PORT: "8080" }, "acct_none")).toMatchObject({
      code: 1,
      stderr: "There is no account acct_none.\n"
    })
    expect(await signIn({ TOLLGATE_PORT: "0" }, account)).toMatchObject({
      code: 1,
      stderr: "TOLLGATE_BASE_URL: set the gateway's address; TOLLGATE_PORT is 0\n"
    })
  })
})

describe("a running gateway", () => {
  const { address, data, newAccount } = runningGateway()

  it("is found by the command, also in a terminal without its settings", async () => {
    const account = await newAccount()
    for (const port of ["8787", "0"]) {
      const printed = await start({ TOLLGATE_DATA: data, TOLLGATE_PORT: port }, ["sign-in", account]).ended
      expect(printed).toMatchObject({ code: 0, stderr: "" })
      expect(linkIn(printed.stdout)).toContain(`${address()}/account/sign-in/`)
    }
    const elsewhere = { TOLLGATE_DATA: data, TOLLGATE_BASE_URL: "https://gateway.example.com" }
    expect(linkIn((await tollgate(elsewhere, "sign-in", account)).stdout)).toContain("https://gateway.example.com/")
  })

  it("signs a person in by such a link, made while it runs", async () => {
    const account = await newAccount("Acme")
    const printed = await tollgate({ TOLLGATE_DATA: data, TOLLGATE_BASE_URL: address() }, "sign-in", account)
    const page = await fetch(linkIn(printed.stdout))
    expect(page.status).toBe(200)
    const fields = [...(await page.text()).matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value]
    )
    const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? ""
    const signedIn = await fetch(`${address()}/account/sign-in/link`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie },
      body: new URLSearchParams(fields)
    })
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/account"])
    const session = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const signedInPage = await fetch(`${address()}/account`, { headers: { cookie: session } })
    expect(await signedInPage.text()).toContain(account)
  })
})
