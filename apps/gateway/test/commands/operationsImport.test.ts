import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { get, openapi } from "../operations/documents.ts"
import { folder, removeFolders } from "../program.ts"
import { tollgate } from "../tollgate.ts"

afterAll(removeFolders)

type Entry = Record<string, unknown>
interface Written {
  schemas: Record<string, unknown>
  operations: Array<Entry>
  imported?: unknown
}

const pets = (paths: object = { "/pets": get({ operationId: "list" }) }, more: object = {}) =>
  openapi({ ...paths }, { servers: [{ url: "https://pets.example.com/v1" }], ...more })

/** A folder with a document, a configuration and the command on them. */
const workspace = (document: unknown = pets()) => {
  const root = folder()
  const config = join(root, "tollgate.jsonc")
  const file = join(root, "pets.operations.json")
  const source = join(root, "pets.json")
  const write = (next: unknown) => writeFileSync(source, typeof next === "string" ? next : JSON.stringify(next))
  writeFileSync(config, '{ "upstreams": { "pets": { "baseUrl": "https://pets.example.com" } } } // mine')
  write(document)
  return {
    root,
    file,
    source,
    write,
    runAs: (upstream: string, ...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_CONFIG: config }, "operations", "import", source, "--upstream", upstream, ...words),
    run: (...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_CONFIG: config }, "operations", "import", source, "--upstream", "pets", ...words),
    from: (address: string, ...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_CONFIG: config }, "operations", "import", address, "--upstream", "pets", ...words),
    read: () => JSON.parse(readFileSync(file, "utf8")) as Written,
    change: (edit: (written: Written) => void) => {
      const written = JSON.parse(readFileSync(file, "utf8")) as Written
      edit(written)
      writeFileSync(file, JSON.stringify(written))
    }
  }
}

const at = <A>(list: ReadonlyArray<A>, i: number): A => {
  const item = list[i]
  if (item === undefined) throw new Error(`there is no item ${i}`)
  return item
}

const brackets = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

/** Each line has the one before it twice. */
const aliases = `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join("")}`

describe("operations import", () => {
  it("writes a file beside the configuration, and says what to do with it", async () => {
    const { file, read, run } = workspace(
      pets(
        { "/pets": get({ operationId: "list", responses: { "204": {} } }), "/up": { head: {} } },
        {
          components: { securitySchemes: { token: { type: "http" } } }
        }
      )
    )
    const { code, stderr, stdout } = await run("--price", "0.002")
    expect([code, stderr]).toEqual([0, ""])
    expect(read().operations).toMatchObject([{ id: "pets.list", price: { amount: "0.002" } }])
    expect(stdout.replaceAll(file, "FILE").replaceAll(/\S*tollgate\.jsonc/g, "CONFIG")).toBe(
      [
        "Pets, OpenAPI 3.1.0: 1 of 1 operation imported, with 0 schemas.",
        "",
        "Not imported:",
        '  paths["/up"].head: the gateway answers HEAD where it answers GET',
        "",
        "1 operation answers without content. Such an answer is charged too, at a price per call.",
        "",
        "The document's security (token) is not imported: callers use keys of the gateway, and the upstream's credential is sent.",
        "",
        "The document's paths are under https://pets.example.com/v1; the upstream's baseUrl is https://pets.example.com. Calls go to the baseUrl.",
        "",
        "Wrote FILE.",
        "",
        'Add this line to "operations" in CONFIG:',
        '  { "file": "pets.operations.json" }',
        "Then check it: tollgate config check CONFIG",
        ""
      ].join("\n")
    )
  })

  it("without a price leaves the operations closed", async () => {
    const { read, run } = workspace()
    expect((await run()).stdout).toContain("They have no price yet. Calls are refused until you set one.")
    expect(at(read().operations, 0).price).toBe("pending")
  })

  it("names what is left out because it could take long to check", async () => {
    const values = { enum: Array.from({ length: 400_000 }, (_, i) => `v${i}`) }
    const body = { requestBody: { content: { "application/json": { schema: { properties: { a: values } } } } } }
    const { run } = workspace(pets({ "/many": { post: { operationId: "many", ...body, responses: {} } } }))
    const { code, stdout } = await run()
    expect(code).toBe(0)
    expect(stdout).toContain("has more than 10000 values: left out, the gateway does not check it")
  })

  it("prints nothing that commands a terminal, and warns of texts that hide what they say", async () => {
    const { run } = workspace(
      pets(
        {
          "/pets": get({ operationId: "list", description: "Lists \u202Estep\u202C pets.\u001b[2J" }),
          "/x\u001b]0;t\u0007": { head: {} }
        },
        { info: { title: "P\u001b[31mets\u202E\u009b", version: "1" } }
      )
    )
    const { stdout } = await run()
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
    expect(stdout).toContain("P\\u001b[31mets\\u202e\\u009b, OpenAPI")
    expect(stdout).toContain('which hide what they say. Read them before you publish them:\n  ["pets.list"].')
  })

  it("writes elsewhere and under another prefix if told", async () => {
    const { root, run } = workspace()
    const out = join(root, "other.json")
    await run("--out", out, "--prefix", "zoo")
    expect((JSON.parse(readFileSync(out, "utf8")) as Written).operations).toMatchObject([
      { id: "zoo.list", path: "/apis/v1/zoo/pets", upstream: { name: "pets", path: "/pets" } }
    ])
  })

  it("reads YAML", async () => {
    const { read, run, write } = workspace()
    write(
      "openapi: 3.0.3\npaths:\n  /pets:\n    get: &get\n      tags: [Zoo]\n      responses: {}\n  /cats:\n    get: *get\n"
    )
    expect(await run()).toMatchObject({ code: 0 })
    expect(read().operations.map(({ id }) => id)).toEqual(["pets.zoo.get_pets", "pets.zoo.get_cats"])
  })

  it("tells of an upstream that the configuration does not have", async () => {
    const { root, source } = workspace()
    const environment = { TOLLGATE_CONFIG: join(root, "tollgate.jsonc") }
    const printed = await tollgate(environment, "operations", "import", source, "--upstream", "zoo")
    expect(printed.stdout).toContain(
      'has no upstream "zoo" yet. Add it to "upstreams", with a "credential" if it needs'
    )
    expect(printed.stdout).toContain('  "zoo": { "protocol": "json", "baseUrl": "https://pets.example.com/v1" }\n')
  })

  it.each([
    ["is empty", "", "is empty."],
    ["ends early", "{", "is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)."],
    [
      "is no YAML",
      "a: b: c",
      "is neither JSON nor YAML: Nested mappings are not allowed in compact mappings at line 1, column 4."
    ],
    ["is a text", "text", 'is not an OpenAPI document: it has no "openapi".'],
    ["is a list", "[]", 'is not an OpenAPI document: it has no "openapi".'],
    ["is Swagger 2", '{"swagger":"2.0"}', "is Swagger 2; convert it to OpenAPI 3 first."],
    ["is of a later version", '{"openapi":"4.0.0"}', "is OpenAPI 4.0.0; expected 3.0, 3.1 or 3.2."],
    ["has no paths", '{"openapi":"3.1.0"}', "has no paths."],
    ["has no operations", '{"openapi":"3.1.0","paths":{}}', "has no operations."],
    ["is nested deep", `{"openapi":"3.1.0","x":${brackets(300)}}`, "is nested deeper than 200 levels."],
    ["is nested very deep", `{"openapi":"3.1.0","x":${brackets(200_000)}}`, "is nested deeper than 200 levels."],
    [
      "is YAML nested very deep",
      `openapi: 3.1.0\nx: ${brackets(5_000)}`,
      // Whether the parser or the import stops first depends on the stack.
      "is ne"
    ],
    [
      "grows when its aliases are read",
      aliases,
      "is neither JSON nor YAML: Excessive alias count indicates a resource exhaustion attack."
    ]
  ])("says what is wrong with a document that %s", async (_, text, problem) => {
    const { file, run, source, write } = workspace()
    write(text)
    const { code, stderr, stdout } = await run()
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toContain(`${source} ${problem}`)
    expect(existsSync(file)).toBe(false)
  })

  it("refuses a document that is too large, is not text or is not there", async () => {
    const { from, root, run, source } = workspace()
    writeFileSync(source, Buffer.alloc(33 * 1024 * 1024, " "))
    expect((await run()).stderr).toBe(`${source} cannot be read: it is larger than 32 MB\n`)
    writeFileSync(source, Buffer.from([0x7b, 0xff, 0xfe]))
    expect((await run()).stderr).toBe(`${source} cannot be read: it is not UTF-8\n`)
    expect((await from(root)).stderr).toBe(`${root} cannot be read: EISDIR\n`)
    expect((await from(join(root, "none"))).stderr).toBe(`${join(root, "none")} cannot be read: ENOENT\n`)
  })

  it("refuses flags that it cannot use", async () => {
    const { run, source } = workspace()
    expect((await run("--price", "cheap")).stderr).toContain("an amount of USD with at most nine decimals")
    expect((await run("--prefix", "a/b")).stderr).toContain("lower-case letters, digits, _ and -")
    expect((await run("--only", "/none")).stderr).toBe(`${source} has no operation that matches "only".\n`)
  })

  it("does not write if nothing can be carried, but says why", async () => {
    const { file, run } = workspace(pets({ "/a b": get() }))
    const { code, stderr, stdout } = await run()
    expect([code, stderr]).toEqual([1, "Nothing was written.\n"])
    expect(stdout).toContain("the gateway cannot have this path")
    expect(existsSync(file)).toBe(false)
  })
})

describe("operations import, run again", () => {
  const listed = (more: object = {}) => pets({ "/pets": get({ operationId: "list", summary: "List", ...more }) })

  it("changes nothing if the document is the same, whatever the price", async () => {
    const { file, run } = workspace(listed())
    await run("--price", "0.002")
    const before = readFileSync(file)
    const { stdout } = await run("--price", "9", "--update")
    expect(stdout).toContain(`${file} is up to date.`)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it("shows what changed, and writes it only with --update", async () => {
    const schemas = { Pet: { type: "object" } }
    const pet = { "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } } }
    const query = (name: string, type = "string") => ({ name, in: "query", schema: { type } })
    const { change, file, read, run, write } = workspace(
      pets(
        {
          "/pets": get({ operationId: "list", responses: pet, parameters: [query("page"), query("size")] }),
          "/old": get({ operationId: "old" })
        },
        { components: { schemas } }
      )
    )
    await run("--price", "0.002")
    change(({ operations }) =>
      Object.assign(at(operations, 0), { price: { amount: "5" }, limits: { rpm: 3 }, id: "mine" })
    )
    write(
      pets(
        {
          "/pets": get({
            operationId: "renamed",
            summary: "All pets",
            responses: pet,
            parameters: [query("cursor"), query("size", "integer")]
          }),
          "/new": get({ operationId: "new" })
        },
        { components: { schemas: { Pet: { type: "object", title: "Pet" } } } }
      )
    )
    const before = readFileSync(file)
    const shown = await run("--price", "0.002")
    expect(shown.stdout).toContain(
      [
        "Operations:",
        "  changed   mine  summary",
        "  changed   mine  parameters (+cursor, -page, ~size)",
        "  removed   pets.old  GET /old",
        "  added     pets.new  GET /new",
        "",
        "Schemas:",
        "  changed   Pet",
        "",
        `${file} was not changed. With --update these changes are made; prices, limits and other changes by hand stay.`
      ].join("\n")
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    expect((await run("--price", "0.002", "--update")).stdout).toContain(`Updated ${file}.`)
    expect(read()).toMatchObject({
      schemas: { Pet: { title: "Pet" } },
      operations: [
        { id: "mine", summary: "All pets", price: { amount: "5" }, limits: { rpm: 3 } },
        { id: "pets.new", price: { amount: "0.002" } }
      ]
    })
    expect((await run()).stdout).toContain("is up to date.")
  })

  it("keeps what was changed by hand, and tells if the document changed it too", async () => {
    const { change, read, run, write } = workspace(listed())
    await run()
    change(({ operations }) => Object.assign(at(operations, 0), { summary: "My pets", maxBodyBytes: 10 }))
    expect((await run("--update")).stdout).toContain("is up to date.")
    write(listed({ summary: "All pets", description: "New." }))
    const { stdout } = await run("--update")
    expect(stdout).toContain("kept      pets.list  summary: changed by hand, and in the document too")
    expect(stdout).toContain("changed   pets.list  description")
    expect(read().operations).toMatchObject([{ summary: "My pets", description: "New.", maxBodyBytes: 10 }])
    expect((await run("--update")).stdout).toContain("is up to date.")
  })

  it("leaves out what was removed by hand, and keeps what was written by hand", async () => {
    const { change, read, run } = workspace(pets({ "/a": get(), "/b": get() }))
    await run()
    const own = { id: "mine", method: "GET", upstream: { name: "pets", path: "/mine" } }
    change((written) => {
      written.operations = [own, at(written.operations, 1)]
      written.schemas = { Mine: {} }
    })
    expect((await run("--update")).stdout).toContain("left out  pets.get_a  GET /a: removed by hand")
    expect(read().operations.map(({ id }) => id)).toEqual(["mine", "pets.get_b"])
    expect(read().schemas).toEqual({ Mine: {} })
  })

  it("with --only does not touch the others", async () => {
    const { read, run, write } = workspace(pets({ "/a": get(), "/b": get() }))
    await run()
    write(pets({ "/a": get({ summary: "A" }), "/b": get({ summary: "B" }), "/c": get() }))
    await run("--only", "/a", "--update")
    expect(read().operations.map(({ summary }) => summary)).toEqual(["A", "GET /b"])
    await run("--update")
    expect(read().operations.map(({ summary }) => summary)).toEqual(["A", "B", "GET /c"])
  })

  it("does not change the file of another upstream", async () => {
    const { change, file, read, run, runAs } = workspace()
    await run()
    const before = readFileSync(file)
    expect((await runAs("Pets", "--update")).stderr).toBe(
      `${file} has the operations of the upstream "pets". Name another file with --out.\n`
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    // An entry that was written by hand may have any upstream.
    const own = { id: "mine", method: "GET", upstream: { name: "other", path: "/mine" } }
    change(({ operations }) => operations.push(own))
    expect((await run("--update")).stdout).toContain("is up to date.")
    expect(read().operations).toHaveLength(2)
  })

  it("does not overwrite a file that it does not understand", async () => {
    const { file, run } = workspace()
    writeFileSync(file, '{ "operations": [3] }')
    expect((await run("--update")).stderr).toBe(
      `${file} is not a file of operations: expected { "schemas": {…}, "operations": […] }\n`
    )
    writeFileSync(file, '{ "operations": ')
    expect((await run("--update")).stderr).toContain(`${file}:1:17: not JSON`)
    expect(readFileSync(file, "utf8")).toBe('{ "operations": ')
  })
})

describe("operations import from an address", () => {
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
    return {
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
    }
  }

  const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?")[0] ?? ""

  it("follows redirects and sends no credential", async () => {
    const seen: Array<string> = []
    await using server = await serve((request, response) => {
      seen.push(`${request.url ?? ""} ${"authorization" in request.headers || "cookie" in request.headers}`)
      if (request.url === "/pets?token=secret") return response.writeHead(302, { location: "/next" }).end()
      return response.end(JSON.stringify(pets()))
    })
    const { from, read } = workspace()
    const { stdout } = await from(`${server.address}/pets?token=secret`)
    expect(stdout).not.toContain("secret")
    expect(seen).toEqual(["/pets?token=secret false", "/next false"])
    expect(read().operations).toHaveLength(1)
  })

  it.each([
    ["/status", "the answer has status 404"],
    ["/loop", "more than 5 redirects"],
    ["/away", "use https; http is only for this machine"],
    ["/nowhere", "the answer leads to no address"],
    ["/large", "it is larger than 32 MB"]
  ])("ends with a reason at %s", async (path, reason) => {
    const part = Buffer.alloc(1024 * 1024, " ")
    await using server = await serve((request, response) => {
      const to = { "/loop": "/loop", "/away": "http://example.com/", "/nowhere": "http://[" }[pathOf(request)]
      if (to !== undefined) return response.writeHead(302, { location: to }).end()
      if (pathOf(request) === "/status") return response.writeHead(404).end()
      const more = () => {
        while (!response.destroyed && response.write(part));
      }
      response.on("drain", more)
      return more()
    })
    const { file, from } = workspace()
    expect((await from(`${server.address}${path}?token=secret`)).stderr).toBe(
      `${server.address}${path} cannot be read: ${reason}\n`
    )
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ["http://example.com/a", "use https; http is only for this machine"],
    ["http://127.example.com/a", "use https; http is only for this machine"],
    ["ftp://127.0.0.1/a", "use https; http is only for this machine"],
    ["https://me:secret@127.0.0.1/a", "the address must not contain a user or password"],
    ["http://[", "this is not an address"]
  ])("is refused at %s", async (address, reason) => {
    const { from } = workspace()
    const { code, stderr } = await from(address)
    expect(code).toBe(1)
    expect(stderr).toContain(`cannot be read: ${reason}`)
    expect(stderr).not.toContain("secret")
  })
})
