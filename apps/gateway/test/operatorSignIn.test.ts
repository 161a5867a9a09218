import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, removeFolders } from "./program.ts"
import { startGateway, tollgate } from "./tollgate.ts"

afterAll(removeFolders)

/** Nothing listens there. */
const operators = {
  issuer: "http://127.0.0.1:9",
  clientId: "tollgate",
  clientSecret: { env: "CLIENT_SECRET" },
  roles: { owner: ["admins"] }
}

const withFile = (section: object) => {
  const data = folder()
  const file = join(data, "tollgate.json")
  writeFileSync(file, JSON.stringify({ operators: section }))
  return { TOLLGATE_DATA: data, TOLLGATE_CONFIG: file, CLIENT_SECRET: "s3cret-of-ours" }
}

/** Where a request of the console's sign-in leads. */
const leadsTo = async (address: string, path: string, init: RequestInit = {}) => {
  const { headers, status } = await fetch(`${address}/console/operator/${path}`, { redirect: "manual", ...init })
  return [status, headers.get("location")?.replace(address, "")]
}

describe("sign-in of operators at a provider", () => {
  it("does not stop the start while the provider is down", async () => {
    const env = withFile(operators)
    expect(await tollgate(env, "config", "check", env.TOLLGATE_CONFIG)).toMatchObject({ code: 0, stderr: "" })
    const { banner, stop } = await startGateway(env)
    const address = addressIn(banner)
    expect(await leadsTo(address, "sign-in")).toEqual([303, "/operator#refused=unreachable"])
    for (const query of ["?code=a&state=b", "?error=access_denied&state=b", "?%", `?state=${"x".repeat(4_000)}`, ""]) {
      expect(await leadsTo(address, `callback${query}`)).toEqual([303, "/operator#refused=late"])
    }
    for (const cookie of ["x", "A".repeat(4_000), "%00", ""]) {
      const headers = { cookie: `tollgate_sign_in=${cookie}` }
      expect(await leadsTo(address, "callback?state=b", { headers })).toEqual([303, "/operator#refused=late"])
    }
    expect((await leadsTo(address, "sign-in", { method: "POST" }))[1]).toBeUndefined()
    await stop()
  })

  it("has no addresses without a provider, and without the shared token only names get in", async () => {
    const env = withFile({ sharedToken: false })
    const { banner, stop } = await startGateway(env)
    const address = addressIn(banner)
    expect((await leadsTo(address, "sign-in"))[1]).toBeUndefined()
    const begin = async (url: string) => {
      const headers = {
        authorization: `Bearer ${url.split("#link=")[1]}`,
        "x-tollgate-console": "new",
        "sec-fetch-site": "same-origin"
      }
      return (await fetch(`${address}/console/operator`, { method: "POST", headers })).status
    }
    const link = async (...who: ReadonlyArray<string>) =>
      String((JSON.parse((await tollgate(env, "sign-in", ...who, "--json")).stdout) as { readonly url: string }).url)
    expect(await begin(await link())).toBe(404)
    const { id } = JSON.parse((await tollgate(env, "operators", "create", "Ada", "owner", "--json")).stdout) as {
      id: string
    }
    expect(await begin(await link())).toBe(401)
    expect(await begin(await link(id))).toBe(201)
    await stop()
  })
})
