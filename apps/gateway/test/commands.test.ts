import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, bytesIn, type Ended, folder, keyIn, type Program, removeFolders, rerank, start } from "./program.ts"

const data = folder()
const adminToken = "an-admin-token-of-some-length"
let gateway: Program
let address = ""
let demoKey = ""

beforeAll(async () => {
  gateway = start({ TOLLGATE_DATA: data, TOLLGATE_ADMIN_TOKEN: adminToken }, ["start"])
  const banner = await gateway.started
  address = addressIn(banner)
  demoKey = keyIn(banner)
}, 30_000)

afterAll(async () => {
  await gateway.stop()
  removeFolders()
})

const inFolder = (folder: string, ...words: ReadonlyArray<string>): Promise<Ended> =>
  start({ TOLLGATE_DATA: folder }, words).ended

const tollgate = (...words: ReadonlyArray<string>): Promise<Ended> => inFolder(data, ...words)

type Fields = Readonly<Record<string, unknown>>

/** What a command prints for programs. */
const asked = async (...words: ReadonlyArray<string>): Promise<Fields> => {
  const { code, stderr, stdout } = await tollgate(...words, "--json")
  expect([code, stderr], words.join(" ")).toEqual([0, ""])
  return JSON.parse(stdout) as Fields
}

const newAccount = async (label = "Acme"): Promise<string> => String((await asked("accounts", "create", label)).id)

const newKey = async (account: string, ...terms: ReadonlyArray<string>) => {
  const made = await asked("keys", "create", account, ...terms)
  return { id: String(made.id), value: String(made.key) }
}

const administer = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${address}/admin/v1${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })

/** Can cost up to 500 micro-USD, and costs 100. */
const costly = async (key: string) => {
  const answer = await fetch(`${address}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "q", documents: ["word ".repeat(2000)] })
  })
  const body = (await answer.json()) as { readonly error?: { readonly code: string; readonly message: string } }
  return { status: answer.status, headers: answer.headers, error: body.error }
}

const statusOf = async (key: string): Promise<number> => (await rerank(address, key)).status

/** The program looks a key up again after a second; the rest is for a busy machine. */
const within = async (millis: number, isTrue: () => Promise<boolean>): Promise<number> => {
  const from = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - from > millis) throw new Error(`not within ${millis} ms`)
    await new Promise((next) => setTimeout(next, 25))
  }
  return performance.now() - from
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const options = { timeout: 60_000 }

describe.concurrent("accounts", options, () => {
  it("create and show print an account for people", async () => {
    const made = await tollgate("accounts", "create", "Acme & Söhne")
    expect([made.code, made.stderr]).toEqual([0, ""])
    const lines = made.stdout.trimEnd().split("\n")
    expect(lines.map((line) => line.slice(0, 13).trim())).toEqual([
      "account",
      "label",
      "created",
      "balance",
      "reserved",
      "topped up",
      "tier",
      "rpm",
      "tpm",
      "concurrency",
      "multiplier"
    ])
    const values = lines.map((line) => line.slice(13))
    expect(values).toEqual([
      expect.stringMatching(/^acct_[0-9a-f]{20}$/),
      "Acme & Söhne",
      expect.stringMatching(isoTime),
      "5 USD",
      "0 USD",
      "0 USD",
      "Free",
      "60",
      "60000",
      "5",
      "1"
    ])
    expect(await tollgate("accounts", "show", values[0]!)).toMatchObject({ code: 0, stdout: made.stdout, stderr: "" })
  })

  it("list prints a table whose columns stand under their heads", async () => {
    const id = await newAccount("in a table")
    const { stdout } = await tollgate("accounts", "list")
    const [head = "", ...rows] = stdout.trimEnd().split("\n")
    const heads = ["account", "label", "tier", "balance", "reserved", "topped up", "created"]
    expect(head.split(/ {2,}/)).toEqual(heads)
    const row = rows.find((row) => row.startsWith(id)) ?? ""
    expect(row.split(/ {2,}/)).toEqual([
      id,
      "in a table",
      "Free",
      "5 USD",
      "0 USD",
      "0 USD",
      expect.stringMatching(isoTime)
    ])
    for (const line of rows) for (const name of heads) expect(line[head.indexOf(name) - 1] ?? " ").toBe(" ")
    const { accounts } = (await asked("accounts", "list")) as { readonly accounts: ReadonlyArray<Fields> }
    expect(accounts.find((account) => account.id === id)).toEqual({
      id,
      label: "in a table",
      created_at: expect.stringMatching(isoTime),
      balance_micros_usd: 5_000_000,
      reserved_micros_usd: 0,
      topped_up_micros_usd: 0,
      tier: "Free",
      rpm: 60,
      tpm: 60_000,
      concurrency: 5,
      multiplier: "1"
    })
  })

  it("set changes what is named and nothing else", async () => {
    const id = await newAccount()
    const words = ["--label", "B", "--tier", "enterprise", "--rpm", "7", "--tpm", "8", "--concurrency", "9"]
    const terms = { label: "B", tier: "Enterprise", rpm: 7, tpm: 8, concurrency: 9 }
    expect(await asked("accounts", "set", id, ...words)).toMatchObject({ ...terms, multiplier: "1" })
    expect(await asked("accounts", "set", id, "--multiplier", "1.45")).toMatchObject({ ...terms, multiplier: "1.45" })
    expect(await asked("accounts", "set", id, "--tier", "auto", "--rpm", "none")).toMatchObject({
      ...terms,
      tier: "Free",
      rpm: 60,
      multiplier: "1.45"
    })
  })
})

describe.concurrent("money", options, () => {
  it("a top-up is exact, counts for the tier, and is entered once under its id", async () => {
    const id = await newAccount()
    const { value } = await newKey(id)
    expect((await rerank(address, value)).headers.get("x-ratelimit-limit-requests")).toBe("60")
    const paid = await tollgate("topup", id, "0.000001", "--note", "invoice 7", "--id", `inv-${id}`)
    expect(paid.stdout).toMatch(/^balance {6}5\.000001 USD$/m)
    expect(paid.stdout).toMatch(/^topped up {4}0\.000001 USD$/m)
    expect(paid.stdout).toMatch(/^tier {9}Starter$/m)
    await within(3_000, async () => {
      return (await rerank(address, value)).headers.get("x-ratelimit-limit-requests") === "600"
    })
    expect(await asked("topup", id, "0.000001", "--id", `inv-${id}`)).toMatchObject({ topped_up_micros_usd: 1 })
    expect(await tollgate("topup", id, "2", "--id", `inv-${id}`)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `inv-${id} was entered before, with other terms.\n`
    })
    expect(await asked("topup", id, "499.999999")).toMatchObject({ topped_up_micros_usd: 500_000_000, tier: "Growth" })
  })

  it("an adjustment gives or takes back, with a sign as it is written", async () => {
    const id = await newAccount()
    expect(await asked("adjust", id, "+2.5", "--note", "sorry")).toMatchObject({ balance_micros_usd: 7_500_000 })
    expect(await asked("adjust", id, "-7.25")).toMatchObject({ balance_micros_usd: 250_000, tier: "Free" })
    expect(await asked("adjust", id, "0.1")).toMatchObject({ balance_micros_usd: 350_000 })
    expect(await tollgate("adjust", id, "-0.350001")).toMatchObject({
      code: 1,
      stderr: `${id} has less than that available.\n`
    })
  })

  it("an amount beyond what a number holds is printed to the last digit", async () => {
    const id = await newAccount()
    const body = '{"amount_micros_usd":1000000000000000}'
    for (let i = 0; i < 10; i++) await administer(`/accounts/${id}/topups`, adminToken, { method: "POST", body })
    expect(await asked("accounts", "show", id)).toMatchObject({ balance_micros_usd: "10000000005000000" })
    expect((await tollgate("accounts", "show", id)).stdout).toMatch(/^balance {6}10000000005 USD$/m)
  })

  it("a balance that is used up refuses with 402 until it is topped up", async () => {
    const id = await newAccount()
    const { value } = await newKey(id)
    await tollgate("adjust", id, "-4.9995")
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([402, "insufficient_balance"])
    expect(refused.error?.message).toContain("0.0004 USD are available")
    expect(await asked("accounts", "show", id)).toMatchObject({ balance_micros_usd: 400, reserved_micros_usd: 0 })
    await tollgate("topup", id, "1")
    expect((await costly(value)).status).toBe(200)
  })
})

describe.concurrent("keys", options, () => {
  it("create shows the key once, on standard output, and the store keeps none of it", async () => {
    const account = await newAccount()
    const made = await tollgate("keys", "create", account, "--label", "prod", "--quota", "5", "--per", "month")
    expect([made.code, made.stderr]).toEqual([0, ""])
    const shown = made.stdout.match(/tg_[0-9a-z]{39}/g) ?? []
    expect(shown).toHaveLength(1)
    expect(made.stdout).toMatch(/^tg_\S+\nThis is the key, shown this once: keep it\.$/m)
    expect(await statusOf(shown[0]!)).toBe(200)
    expect(bytesIn(data)).not.toContain(shown[0]!.slice(3, 20))
    const listed = await tollgate("keys", "list", account)
    expect(listed.stdout).not.toContain("tg_")
    const [head = "", row = "", ...more] = listed.stdout.trimEnd().split("\n")
    expect(head.split(/ {2,}/)).toEqual(["key", "account", "label", "spent", "budget", "quota", "created", "ends"])
    expect(row.split(/ {2,}/)).toEqual([
      expect.stringMatching(/^key_/),
      account,
      "prod",
      "0 USD",
      "none",
      "5 USD per month",
      expect.stringMatching(isoTime),
      "never"
    ])
    expect(more).toEqual([])
  })

  it("one made while the gateway runs works at once, and not a second after it is revoked", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account)
    expect(await statusOf(value)).toBe(200)
    const revoked = asked("keys", "revoke", id)
    let lastSent = Date.now()
    await within(30_000, async () => {
      const sent = Date.now()
      if ((await statusOf(value)) === 401) return true
      lastSent = sent
      return false
    })
    expect(lastSent - Date.parse(String((await revoked).ends_at))).toBeLessThanOrEqual(1_000)
    expect(await statusOf(value)).toBe(401)
    expect(await tollgate("keys", "rotate", id)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${id} has ended; make a new key.\n`
    })
  })

  it("rotate makes a second key on the same terms, and both work for the grace time", async () => {
    const account = await newAccount()
    const old = await newKey(account, "--label", "prod", "--budget", "0.5")
    const rotated = await tollgate("keys", "rotate", old.id, "--grace", "4s")
    const made = /tg_[0-9a-z]{39}/.exec(rotated.stdout)?.[0] ?? ""
    expect(rotated.stdout).toContain("shown this once")
    expect(made).not.toBe(old.value)
    expect([await statusOf(old.value), await statusOf(made)]).toEqual([200, 200])
    const { keys } = (await asked("keys", "list", account)) as { readonly keys: ReadonlyArray<Fields> }
    expect(keys).toMatchObject([
      { id: old.id, ends_at: expect.stringMatching(isoTime) },
      { label: "prod", budget_micros_usd: 500_000, ends_at: null }
    ])
    await within(8_000, async () => (await statusOf(old.value)) === 401)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(keys[0]?.ends_at)))
    expect(await statusOf(made)).toBe(200)
  })

  it("rotate leaves the old key a day where no time is said", async () => {
    const account = await newAccount()
    const { id } = await newKey(account)
    const before = Date.now()
    await tollgate("keys", "rotate", id)
    const { keys } = (await asked("keys", "list", account)) as { readonly keys: ReadonlyArray<Fields> }
    const grace = Date.parse(String(keys[0]?.ends_at)) - before
    expect([grace >= 86_400_000, grace < 86_400_000 + 60_000]).toEqual([true, true])
  })

  it("a budget refuses with 402 and says what is left of it, until it is raised", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account, "--budget", "0.0005")
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([402, "over_budget"])
    expect(refused.error?.message).toContain("the key's budget has 0.0004 USD left")
    expect(await asked("keys", "set", id, "--budget", "0.0006")).toMatchObject({
      spent_micros_usd: 100,
      budget_micros_usd: 600
    })
    expect((await costly(value)).status).toBe(200)
    expect((await costly(value)).status).toBe(402)
    expect(await asked("keys", "set", id, "--budget", "none", "--label", "free")).toMatchObject({
      label: "free",
      budget_micros_usd: null
    })
    expect((await costly(value)).status).toBe(200)
  })

  it("a quota refuses with 429 and says when the period ends, until it is lifted", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account)
    expect(await asked("keys", "set", id, "--quota", "0.0005", "--per", "day")).toMatchObject({
      quota: { amount_micros_usd: 500, period: "day" }
    })
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([429, "quota_exceeded"])
    expect(refused.error?.message).toContain("0.0005 USD per day")
    const after = Number(refused.headers.get("retry-after"))
    const untilMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400)
    expect(Math.abs(after - untilMidnight)).toBeLessThan(5)
    expect(await asked("keys", "set", id, "--quota", "none")).toMatchObject({ quota: null })
    expect((await costly(value)).status).toBe(200)
  })
})

describe.concurrent("usage, audit and export", options, () => {
  it("usage is a line for each day, of a key or of its account", async () => {
    const account = await newAccount()
    const [first, second] = [await newKey(account), await newKey(account)]
    await costly(first.value)
    await costly(first.value)
    await costly(second.value)
    const { stdout } = await tollgate("usage", account)
    const lines = stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(32)
    expect(lines[0]).toMatch(/^day +requests +failed +input +output +cache read +cache write +value +charged$/)
    expect(lines.at(-1)?.split(/ {2,}/)).toEqual(["total", "3", "0", "6003", "0", "0", "0", "0.0003 USD", "0.0003 USD"])
    const today = new Date().toISOString().slice(0, 10)
    const ofKey = await asked("usage", first.id, "--from", today, "--to", today)
    expect(ofKey).toMatchObject({
      scope: "key",
      totals: { requests: 2, charged_micros_usd: 200 },
      buckets: [{ requests: 2, charged_micros_usd: 200 }]
    })
  })

  it("export prints each call once, as CSV or a JSON object a line", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account)
    await costly(value)
    const csv = await tollgate("export", "--account", account)
    const [head, ...rows] = csv.stdout.trimEnd().split(/\r?\n/)
    expect(head).toMatch(/^request_id,account,key,operation,state,/)
    expect(rows).toHaveLength(1)
    const lines = (await tollgate("export", "--format", "ndjson", "--key", id)).stdout.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { account, key: id, operation: "rerank", state: "settled", charged_micros_usd: 100 }
    ])
    expect((await tollgate("export", "--account", account, "--to", "2020-01-01")).stdout.split("\n")[1] ?? "").toBe("")
  })

  it("audit is content with books that are right, while the gateway runs", async () => {
    const { code, stderr, stdout } = await tollgate("audit")
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain("The ledger is consistent.")
    expect(await asked("audit")).toMatchObject({ differences: [], written_off: [] })
  })
})

describe("books that are wrong", options, () => {
  it("audit says where and exits with 1, and lists what is open, unknown and written off", async () => {
    const wrong = folder()
    const program = start({ TOLLGATE_DATA: wrong })
    const banner = await program.started
    await rerank(addressIn(banner), keyIn(banner))
    await program.stop()
    const db = new DatabaseSync(join(wrong, "tollgate.db"))
    db.exec("UPDATE accounts SET balance = balance + 1")
    const call = "INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at)"
    for (const [id, state, ended] of [
      ["req_a", "open", "NULL"],
      ["req_b", "unknown", "NULL"],
      ["req_c", "written_off", "1"]
    ] as const) {
      db.exec(`${call} SELECT '${id}', id, '', 'rerank', '${state}', 1500000, 1, 'x', ${ended} FROM accounts`)
    }
    db.close()
    const { code, stderr, stdout } = await inFolder(wrong, "audit")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The ledger has \d+ differences\.\n$/)
    expect(stdout).toMatch(/^accounts +acct_\S+ +balance +5000001 +5000000$/m)
    for (const [id, state] of [
      ["req_a", "open"],
      ["req_b", "unknown"],
      ["req_c", "written off"]
    ]) {
      expect(stdout).toMatch(
        new RegExp(`^${id} +${state} +acct_\\S+ +rerank +1\\.5 USD +1970-01-01T00:00:00\\.001Z$`, "m")
      )
    }
    const json = await inFolder(wrong, "audit", "--json")
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      differences: expect.arrayContaining([
        expect.objectContaining({ table: "accounts", column: "balance", stored: 5_000_001, expected: 5_000_000 })
      ]),
      open: [{ request_id: "req_a", reserved_micros_usd: 1_500_000 }],
      unknown: [{ request_id: "req_b" }],
      written_off: [{ request_id: "req_c" }]
    })
  })
})

describe.concurrent("what goes wrong is one line on standard error, and exit code 1", options, () => {
  it.each([
    [["nothing"], /Unknown subcommand "nothing"/],
    [["accounts", "create"], /Missing required argument: label/],
    [["accounts", "create", "two\nlines"], /one line of 1 to 200 characters/],
    [["accounts", "list", "--jsn"], /--jsn/],
    [["accounts", "show", "acct_x"], /^There is no account acct_x\.$/],
    [["accounts", "set", "acct_x"], /^Name what to set: --label, --tier, /],
    [["accounts", "set", "acct_x", "--rpm", "0"], /a whole number from 1/],
    [["accounts", "set", "acct_x", "--multiplier", "1,5"], /such as 1\.45/],
    [["topup", "acct_x", "0"], /more than nothing/],
    [["topup", "acct_x", "1e3"], /at most six decimals/],
    [["topup", "acct_x", "1.0000001"], /at most six decimals/],
    [["keys", "create", "acct_x"], /^There is no account acct_x\.$/],
    [["keys", "create", "acct_x", "--quota", "5"], /^--quota needs its period/],
    [["keys", "list", "acct_x"], /^There is no account acct_x\.$/],
    [["keys", "set", "key_x", "--quota", "none", "--per", "day"], /^--per goes with an amount/],
    [["keys", "revoke", "key_x"], /^There is no key key_x\.$/],
    [["keys", "rotate", "key_x", "--grace", "31d"], /at most 30 days/],
    [["usage", "acct_x"], /^There is no account acct_x\.$/],
    [["usage", "acct_x", "--from", "2026-02-30"], /a day such as/]
  ] as const)("%j", async (words, line) => {
    const { code, stderr, stdout } = await tollgate(...words)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr.split("\n")).toEqual([expect.stringMatching(line), ""])
  })

  it("a key in place of its id is refused without being repeated", async () => {
    for (const words of [["keys", "revoke"], ["usage"], ["export", "--key"]]) {
      const { code, stderr } = await tollgate(...words, demoKey)
      expect(code).toBe(1)
      expect(stderr).toContain("not the key itself")
      expect(stderr).not.toContain(demoKey.slice(3, 20))
    }
  })

  it("a folder that is no gateway's is not made into one", async () => {
    const empty = join(folder(), "typo")
    for (const words of [["accounts", "create", "x"], ["audit"]]) {
      expect(await inFolder(empty, ...words)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: `TOLLGATE_DATA: ${empty} is not a gateway's data folder; the first start creates it\n`
      })
    }
    expect(existsSync(empty)).toBe(false)
  })
})

describe.concurrent("help", options, () => {
  it("is there for the program and for each noun, on standard output", async () => {
    const { code, stderr, stdout } = await tollgate("--help")
    expect([code, stderr]).toEqual([0, ""])
    for (const name of ["start", "accounts", "keys", "topup", "adjust", "usage", "audit", "export"]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, "m"))
    }
    for (const words of [["keys", "--help"], ["keys"]]) {
      const keys = await tollgate(...words)
      expect([keys.code, keys.stderr]).toEqual([0, ""])
      for (const name of ["create", "list", "set", "revoke", "rotate"]) {
        expect(keys.stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, "m"))
      }
    }
    expect((await tollgate("keys", "create", "--help")).stdout).toMatch(/--budget usd/)
    expect((await tollgate("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
  })
})

describe("the admin API of the program", options, () => {
  it("does what the commands do, behind TOLLGATE_ADMIN_TOKEN", async () => {
    expect((await administer("/accounts", demoKey)).status).toBe(401)
    const made = await administer("/accounts", adminToken, { method: "POST", body: '{"label":"by HTTP"}' })
    expect(made.status).toBe(201)
    const account = (await made.json()) as Fields
    expect(await asked("accounts", "show", String(account.id))).toEqual(account)
    const key = await administer(`/accounts/${String(account.id)}/keys`, adminToken, { method: "POST" })
    expect(await statusOf(String(((await key.json()) as Fields).key))).toBe(200)
  })

  it("is not there without a token", async () => {
    const program = start({ TOLLGATE_DATA: folder() })
    const banner = await program.started
    const answer = await fetch(`${addressIn(banner)}/admin/v1/accounts`, {
      headers: { authorization: `Bearer ${keyIn(banner)}` }
    })
    await program.stop()
    expect(answer.status).toBe(404)
  })
})
