import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folder, removeFolders, start } from "./program.ts"
import { type Printed, tollgate } from "./tollgate.ts"

const root = folder()
afterAll(removeFolders)

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(root, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, content)
  return path
}
const config = (name: string, content: unknown): string =>
  file(`${name}.json`, typeof content === "string" ? content : JSON.stringify(content))

const taken = createServer()
beforeAll(() => new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening)))
afterAll(() => new Promise((closed) => taken.close(closed)))

const secret = "s3cret w1th-spaces"

type Case = readonly [string, string, () => Record<string, string>, RegExp]

const cases: ReadonlyArray<Case> = [
  ["a port that is text", "TOLLGATE_PORT", () => ({ TOLLGATE_PORT: "http" }), /0 to 65535/],
  [
    "a port in use",
    "TOLLGATE_PORT",
    () => ({ TOLLGATE_PORT: String((taken.address() as AddressInfo).port) }),
    /in use.*EADDRINUSE/
  ],
  ["an address of another machine", "TOLLGATE_HOST", () => ({ TOLLGATE_HOST: "203.0.113.7" }), /EADDRNOTAVAIL/],
  ["a file for a folder", "TOLLGATE_DATA", () => ({ TOLLGATE_DATA: file("plain", "x") }), /EEXIST/],
  [
    "a database that is none",
    "TOLLGATE_DATA",
    () => {
      file("corrupt/secret", randomBytes(32))
      return { TOLLGATE_DATA: join(file("corrupt/tollgate.db", randomBytes(8192)), "..") }
    },
    /not a database/
  ],
  [
    "a shared token that the file forbids",
    "TOLLGATE_ADMIN_TOKEN",
    () => ({
      TOLLGATE_ADMIN_TOKEN: "an-admin-token-of-some-length",
      TOLLGATE_CONFIG: config("named", { operators: { sharedToken: false } })
    }),
    /is set, and operators.sharedToken is false/
  ],
  ["a file that is missing", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: join(root, "none.json") }), /ENOENT/],
  [
    "a binding of no operation",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("unbound", { bindings: { "image.generate": { path: "/v1/images" } } }) }),
    /image\.generate/
  ],
  [
    "a binding in another's place",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("taken", { bindings: { "images.generate": { path: "/v1/rerank" } } }) }),
    /rerank and images\.generate/
  ],
  ["a short key", "TOLLGATE_BOOTSTRAP_KEY", () => ({ TOLLGATE_BOOTSTRAP_KEY: "s3cret" }), /16 to 200/],
  [
    "the store under another name",
    "TOLLGATE_DATABASE_URL",
    () => ({ TOLLGATE_DATABASE_URL: "postgres://u:s3cret@h/db" }),
    /set TOLLGATE_STORE instead/
  ],
  ["a short token", "TOLLGATE_ADMIN_TOKEN", () => ({ TOLLGATE_ADMIN_TOKEN: "s3cret" }), /16 to 200/],
  [
    "a short token for the metrics",
    "TOLLGATE_METRICS_TOKEN",
    () => ({ TOLLGATE_METRICS_TOKEN: "s3cret" }),
    /16 to 200/
  ],
  [
    "a port for the metrics that is text",
    "TOLLGATE_METRICS_PORT",
    () => ({ TOLLGATE_METRICS_PORT: "x" }),
    /0 to 65535/
  ],
  [
    "a host for the metrics without a port",
    "TOLLGATE_METRICS_HOST",
    () => ({ TOLLGATE_METRICS_HOST: "0.0.0.0" }),
    /set TOLLGATE_METRICS_PORT too/
  ],
  [
    "a port for the metrics in use",
    "TOLLGATE_METRICS_PORT",
    () => ({ TOLLGATE_METRICS_PORT: String((taken.address() as AddressInfo).port) }),
    /in use.*EADDRINUSE/
  ],
  ["proxies as text", "TOLLGATE_TRUSTED_PROXIES", () => ({ TOLLGATE_TRUSTED_PROXIES: "yes" }), /0 to 10/],
  ["too many proxies", "TOLLGATE_TRUSTED_PROXIES", () => ({ TOLLGATE_TRUSTED_PROXIES: "11" }), /0 to 10/],
  ["too long to read on", "TOLLGATE_READ_ON_SECONDS", () => ({ TOLLGATE_READ_ON_SECONDS: "3601" }), /0 to 3600/],
  ["too long to resume", "TOLLGATE_RESUME_SECONDS", () => ({ TOLLGATE_RESUME_SECONDS: "3601" }), /0 to 3600/],
  ["responses for too long", "TOLLGATE_RESPONSES_DAYS", () => ({ TOLLGATE_RESPONSES_DAYS: "3651" }), /0 to 3650/],
  ["too little to resume", "TOLLGATE_RESUME_MEGABYTES", () => ({ TOLLGATE_RESUME_MEGABYTES: "7" }), /8 to 65536/],
  ["an unknown reader", "TOLLGATE_HTTP_READER", () => ({ TOLLGATE_HTTP_READER: "fast" }), /own.*node/],
  ["no time to read", "TOLLGATE_READER_SECONDS", () => ({ TOLLGATE_READER_SECONDS: "0" }), /1 to 3600/],
  ["a port too high", "TOLLGATE_PORT", () => ({ TOLLGATE_PORT: "65536" }), /0 to 65535/],
  ["a negative port", "TOLLGATE_PORT", () => ({ TOLLGATE_PORT: "-1" }), /0 to 65535/],
  ["no time to stop", "TOLLGATE_SHUTDOWN_SECONDS", () => ({ TOLLGATE_SHUTDOWN_SECONDS: "soon" }), /0 to 3600/],
  ["a negative time to stop", "TOLLGATE_SHUTDOWN_SECONDS", () => ({ TOLLGATE_SHUTDOWN_SECONDS: "-1" }), /0 to 3600/],
  ["half a port", "TOLLGATE_PORT", () => ({ TOLLGATE_PORT: "80.5" }), /0 to 65535/],
  ["a folder under a file", "TOLLGATE_DATA", () => ({ TOLLGATE_DATA: join(file("plain2", "x"), "data") }), /ENOTDIR/],
  ["a folder that cannot be made", "TOLLGATE_DATA", () => ({ TOLLGATE_DATA: "/dev/null/x" }), /\/dev\/null\/x/],
  [
    "a secret of another size",
    "TOLLGATE_DATA",
    () => ({ TOLLGATE_DATA: join(file("size/secret", "short"), "..") }),
    /secret is not this gateway's/
  ],
  ["a folder for a file", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: root }), /EISDIR/],
  ["no JSON", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: config("broken", "{") }), /JSON/],
  ["nothing", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: config("empty", "") }), /JSON/],
  ["a list", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: config("list", []) }), /object/],
  ["an unknown key", "TOLLGATE_CONFIG", () => ({ TOLLGATE_CONFIG: config("key", { naems: {} }) }), /naems/],
  [
    "an unknown name",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("name", { names: { social_x: "a" } }) }),
    /social_x/
  ],
  [
    "a name with a slash",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("slash", { names: { social_a: "a/b" } }) }),
    /social_a/
  ],
  [
    "an empty name",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("emptyName", { names: { reseller: "" } }) }),
    /reseller/
  ],
  [
    "a provider with a dash",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("dash", { names: { provider: "a-b" } }) }),
    /provider/
  ],
  [
    "a path without a slash",
    "TOLLGATE_CONFIG",
    () => ({ TOLLGATE_CONFIG: config("path", { bindings: { "images.generate": { path: "v1/images" } } }) }),
    /images\.generate.*path|path.*images\.generate/
  ],
  ["a key with a blank", "TOLLGATE_BOOTSTRAP_KEY", () => ({ TOLLGATE_BOOTSTRAP_KEY: secret }), /no spaces/],
  [
    "a key with a line end",
    "TOLLGATE_BOOTSTRAP_KEY",
    () => ({ TOLLGATE_BOOTSTRAP_KEY: `${"s3cret".repeat(4)}\n` }),
    /no spaces/
  ],
  ["a key too long", "TOLLGATE_BOOTSTRAP_KEY", () => ({ TOLLGATE_BOOTSTRAP_KEY: "s3cret".repeat(40) }), /16 to 200/],
  [
    "an address of Redis under another name",
    "TOLLGATE_REDIS_URL",
    () => ({ TOLLGATE_REDIS_URL: "redis://:s3cret@h" }),
    /set TOLLGATE_REDIS instead/
  ],
  ["an address that is not of Redis", "TOLLGATE_REDIS", () => ({ TOLLGATE_REDIS: "http://:s3cret@h" }), /redis:\/\//],
  [
    "a database of Redis that is no number",
    "TOLLGATE_REDIS",
    () => ({ TOLLGATE_REDIS: "redis://:s3cret@h/x" }),
    /number/
  ],
  [
    "a fallback that does not exist",
    "TOLLGATE_LIMITS_FALLBACK",
    () => ({ TOLLGATE_LIMITS_FALLBACK: "ignore" }),
    /share or refuse/
  ]
]

const check = ({ code, stderr, stdout }: Printed, variable: string, says: RegExp) => {
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toContain(variable)
  expect(stderr).toMatch(says)
  expect(stderr + stdout).not.toContain("s3cret")
  expect([code, stdout]).toEqual([1, ""])
}

const environmentOf = ([, variable, env]: Case) => ({ TOLLGATE_DATA: join(root, `data-${variable}`), ...env() })

describe("an invalid setting stops the start with one line that names it, and exit code 1", () => {
  it.each(cases.map((one) => [one[0], one] as const))("%s", async (_, one) => {
    check(await tollgate(environmentOf(one), "start"), one[1], one[3])
  })

  it("in a process of its own", async () => {
    for (const one of cases.slice(0, 2)) {
      const { code, stderr, stdout } = await start(environmentOf(one)).ended
      check({ code: code ?? -1, stderr, stdout }, one[1], one[3])
    }
  })
})
