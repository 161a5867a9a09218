import { once } from "node:events"
import { spawn } from "node:child_process"
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checkers } from "../src/checkers.ts"
import { type Example, examples } from "../src/examples.ts"
import { type Gateway, startGateway } from "../src/gateway.ts"
import { baseImage, buildahIn, noContainers } from "../src/containers.ts"
import { containerfile, imageOf } from "../src/imageOf.ts"
import { filesRead } from "../src/filesRead.ts"
import { install } from "../src/install.ts"
import { isStatic } from "../src/member.ts"
import { commands, node20 } from "../src/nodes.ts"
import { pack, type Packed } from "../src/pack.ts"
import { program } from "../src/program.ts"
import { runtimes, typescripts } from "../../programs/supported.ts"
import { freePort } from "../../programs/server.ts"
import { runExample } from "../src/runExample.ts"
import { subpaths } from "../src/subpath.ts"

const project = mkdtempSync(join(tmpdir(), "tollgate-packed-"))
const fixture = (name: string) => join(import.meta.dirname, "fixtures", name)

/** No `skipLibCheck`: the declarations of the packages are checked too. Effect's own need DOM, as every default has. */
const strict = "--strict --noUncheckedSideEffectImports --target es2022 --lib es2024,dom,dom.asynciterable"
const resolutions = ["--module nodenext", "--module esnext --moduleResolution bundler"]
const inProject = (name: string) => join(project, "node_modules", name, "bin/tsc")
/** The newest compiler is that of the workspace. */
const compilers: Readonly<Record<(typeof typescripts)[number], string>> = {
  "5.5": inProject("typescript-5.5"),
  "5.9": inProject("typescript"),
  "6.0": inProject("typescript-6.0"),
  "7.0": "tsc"
}

const compile = (tsc: string, options: string, ...files: ReadonlyArray<string>) =>
  program(tsc, [...(tsc === "tsc" ? checkers : []), ...options.split(" "), ...files], project)

const runners = commands()
const missing = Object.keys(runners).filter((name) => runners[name] === undefined)
if (missing.length > 0)
  console.log(`Not run: programs on ${missing.join(", ")}. Put them on the path, as node20, node22, bun and deno.`)

let packed: ReadonlyArray<Packed> = []
let gateway: Gateway

beforeAll(async () => {
  packed = await pack(project)
  await install(packed, project)
  gateway = await startGateway(project)
})

afterAll(async () => {
  expect(await gateway.stop()).toBe(0)
  rmSync(project, { recursive: true, force: true })
})

describe("the packed packages", () => {
  it("depend on versions, not on workspace paths", () => {
    for (const { manifest } of packed) expect(JSON.stringify(manifest)).not.toMatch(/"(workspace|catalog|link|file):/)
  })

  it("tell the client its version, for the user agent", async () => {
    const { manifest, name } = packed.find(({ name }) => name === "@tollgate/client")!
    const { version } = await import(join(project, "node_modules", name, "dist/options/environment.js"))
    expect([version, manifest.version === "0.0.0"]).toEqual([manifest.version, false])
  })

  it("ship code, declarations, source maps and their sources", () => {
    for (const { files } of packed.filter(({ manifest }) => !isStatic(manifest) && manifest.bin === undefined)) {
      // What bundled entries share has no source and no declarations of its own.
      const modules = files
        .filter((file) => /^dist\/(?!shared-).*\.js$/.test(file))
        .map((file) => file.slice("dist/".length, -3))
      expect(modules).not.toEqual([])
      for (const module of modules)
        expect(files).toEqual(
          expect.arrayContaining([`dist/${module}.d.ts`, `dist/${module}.js.map`, `src/${module}.ts`])
        )
      expect(files.filter((file) => /tsbuildinfo|\.test\.|node_modules/.test(file))).toEqual([])
    }
  })

  it("ship the command in few files, with source maps whose sources are installed, and the licences of what it brings", () => {
    const { files, name } = packed.find(({ manifest }) => manifest.bin !== undefined)!
    const folder = join(project, "node_modules", name)
    const built = files.filter((file) => file.startsWith("dist/"))
    const code = built.filter((file) => file.endsWith(".js"))
    expect(code).toEqual(
      expect.arrayContaining(["main", "auditWorker", "importWorker"].map((program) => `dist/${program}.js`))
    )
    expect(code.length).toBeLessThan(50)
    expect(built.toSorted()).toEqual([...code, ...code.map((file) => `${file}.map`), "dist/LICENSES.txt"].toSorted())
    const sources = code.flatMap((file) => JSON.parse(readFileSync(join(folder, `${file}.map`), "utf8")).sources)
    const own = sources.map((source) => join(folder, "dist", source)).filter((source) => source.includes("/@tollgate/"))
    expect(own.length).toBeGreaterThan(500)
    expect(own.filter((source) => !existsSync(source))).toEqual([])
    expect(readFileSync(join(folder, "dist/LICENSES.txt"), "utf8")).toMatch(/^effect \d/m)
  })

  it("read few files when the command says its version", async () => {
    const files = await filesRead(join(project, "node_modules/@tollgate/cli/dist/main.js"), project, "--version")
    expect(files.filter((file) => !file.includes("/@tollgate/cli/dist/"))).toEqual([])
    expect(files.length).toBeLessThan(25)
  })

  it("serve the console, which nobody has to build", async () => {
    const { files } = packed.find(({ name }) => name === "@tollgate/console")!
    expect(files.filter((file) => /^src\/|\.map$|\/\.(?:sources|vite)/.test(file))).toEqual([])
    const base = gateway.env.TOLLGATE_BASE_URL
    const page = await (await fetch(`${base}/`)).text()
    const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
    expect(assets).toContainEqual(expect.stringMatching(/\.js$/))
    expect(assets).toContainEqual(expect.stringMatching(/\.css$/))
    for (const path of assets) {
      const { headers, status } = await fetch(`${base}${path}`, { headers: { "accept-encoding": "br" } })
      expect([path, status, headers.get("content-encoding")]).toEqual([path, 200, "br"])
    }
  })

  it("serve the guides, with no link to a file that is not there", async () => {
    const base = gateway.env.TOLLGATE_BASE_URL
    const { files } = packed.find(({ name }) => name === "@tollgate/cli")!
    const names = files.flatMap((file) => /^docs\/([\w-]+)\.md$/.exec(file)?.[1] ?? [])
    expect(names).toContain("getting-started")
    for (const name of names.filter((one) => one !== "reference")) {
      const answer = await fetch(`${base}/docs/guides/${name}`)
      const page = await answer.text()
      expect([name, answer.status]).toEqual([name, 200])
      const [, body = ""] = page.split("</head>")
      expect(body).not.toMatch(/href="[^"]*(?:\.md\b|\.\.\/)/)
      expect(page).not.toContain(project)
      if (name === "getting-started") expect(page).toContain('<img src="data:image/svg+xml,')
    }
  })

  it("bring no second copy of effect", () => {
    for (const { manifest, name } of packed) {
      expect(existsSync(join(project, "node_modules", name, "node_modules/effect"))).toBe(false)
      expect(manifest.dependencies?.effect === undefined || manifest.bin !== undefined).toBe(true)
    }
  })

  it("read few files when a program with promises starts: its own, and not yet undici", async () => {
    const files = await filesRead("@tollgate/node", project)
    expect(files.filter((file) => !file.includes("/@tollgate/node/dist/"))).toEqual([])
    expect(files.length).toBeLessThanOrEqual(5)
    expect(files.filter((file) => file.endsWith("/carrier/agent.js"))).toEqual([])
  })

  it("read few files when a program with Effect starts: none of undici, and one of each operation", async () => {
    const files = await filesRead("@tollgate/node/effect", project)
    const isOperation = (file: string) => file.includes("/contract/dist/operations/")
    expect(files.filter((file) => file.includes("undici") || file.endsWith("/carrier/agent.js"))).toEqual([])
    expect(files.filter(isOperation).length).toBeGreaterThan(20)
    // Half of them are Effect's.
    expect(files.filter((file) => !isOperation(file)).length).toBeLessThanOrEqual(288)
  })

  it("import by every name they export, and by no internal one", async () => {
    const all = packed.filter(({ manifest }) => !isStatic(manifest)).map(subpaths)
    const names = { open: all.flatMap(({ open }) => open), refused: all.flatMap(({ refused }) => refused) }
    copyFileSync(fixture("imports.mjs"), join(project, "imports.mjs"))
    const { ok, output } = await program(process.execPath, ["imports.mjs", JSON.stringify(names)], project)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  const importAll = (file: string, of: ReadonlyArray<Packed>) => {
    const names = of.flatMap((one) => subpaths(one).open).filter((name) => !name.endsWith(".json"))
    writeFileSync(join(project, file), names.map((name) => `import "${name}"`).join("\n"))
  }

  it("type-check by every name they export", async () => {
    importAll("every.ts", packed)
    const { ok, output } = await compile("tsc", `--noEmit ${strict} --module nodenext`, "every.ts")
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  // Each compiler and each resolution once: a compilation takes long.
  for (const [i, version] of (["5.9", "7.0"] as const).entries()) {
    const resolution = resolutions[i]!
    it(`type-check where only the client is used, with TypeScript ${version} and ${resolution}`, async () => {
      const ofClient = packed.filter(({ manifest }) => manifest.engines?.node === ">=20.18.1")
      importAll("client.ts", ofClient)
      copyFileSync(fixture("consumer.ts"), join(project, "consumer.ts"))
      const { ok, output } = await compile(
        compilers[version],
        `--noEmit ${strict} ${resolution}`,
        "client.ts",
        "consumer.ts"
      )
      expect({ ok, output }).toEqual({ ok: true, output: "" })
    })
  }
})

it("errors of one copy of the client are known in the other, and its helpers refuse clients of the other", async () => {
  const source = `
    import { budget, createClient, OverBudget } from "@tollgate/node"
    import * as other from "@tollgate/node/effect"
    const [one, two] = [createClient(), other.createClient()]
    const chat = { model: "sandbox", messages: [{ role: "user", content: "Say hello" }] }
    const [first, second] = await Promise.all(
      [one, two].map((client) => client.chatCompletions(chat, { maxPrice: "0.000001" }).catch((error) => error))
    )
    const refused = (() => { try { budget(two.withBudget("1")) } catch (error) { return error.message } })()
    await Promise.all([one.close(), two.close()])
    console.log(first.constructor === second.constructor, [OverBudget, other.OverBudget].map((of) => [first, second].map((error) => error instanceof of)))
    console.log(second instanceof other.RateLimited, new TypeError() instanceof OverBudget, refused.includes("another copy"))`
  writeFileSync(join(project, "both.mjs"), source)
  const { output, stdout } = await program(process.execPath, ["both.mjs"], project, gateway.env)
  expect({ output, stdout }).toMatchObject({ stdout: "false [ [ true, true ], [ true, true ] ]\nfalse false true\n" })
})

describe.each(["node", "browser"])("@tollgate/%s alone", (name) => {
  const alone = mkdtempSync(join(tmpdir(), "tollgate-alone-"))
  afterAll(() => rmSync(alone, { recursive: true, force: true }))

  beforeAll(async () => {
    const { tarball } = packed.find((one) => one.name === `@tollgate/${name}`)!
    writeFileSync(join(alone, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--offline", "--loglevel=error"]
    expect(await program("npm", ["install", tarball, ...quiet], alone)).toMatchObject({ ok: true })
  })

  it("is one package of less than 3 MB, with the licences of what it brings", async () => {
    const files = readdirSync(join(alone, "node_modules"), { recursive: true, withFileTypes: true })
    const bytes = files.map((file) => (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0))
    expect(readdirSync(join(alone, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@tollgate"])
    expect(readdirSync(join(alone, "node_modules/@tollgate"))).toEqual([name])
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)
    expect(readFileSync(join(alone, `node_modules/@tollgate/${name}/dist/LICENSES.txt`), "utf8")).toMatch(/^effect \d/)
  })

  it("calls, streams and fails as the client of the workspace does", async () => {
    const source = `
      import { createClient, OverBudget, textOf } from "@tollgate/${name}"
      const options = ${name === "browser" ? "{ allowKeyInPage: true }" : "{}"}
      const tollgate = createClient({ ...options, credential: process.env.TOLLGATE_KEY, baseUrl: process.env.TOLLGATE_BASE_URL })
      const { results } = await tollgate.rerank({ query: "q", documents: ["d"] })
      const chat = { model: "sandbox", messages: [{ role: "user", content: "Say hello" }] }
      let text = ""
      for await (const event of tollgate.chatCompletionsStream(chat)) text += textOf(event)
      const error = await tollgate.chatCompletions(chat, { maxPrice: "0.000001" }).catch((error) => error)
      await tollgate.close()
      console.log(results.length, text !== "", error instanceof OverBudget, error._tag, error.outcome)`
    writeFileSync(join(alone, "program.mjs"), source)
    const { output, stdout } = await program(process.execPath, ["program.mjs"], alone, gateway.env)
    expect({ output, stdout }).toMatchObject({ stdout: "1 true true OverBudget not executed\n" })
  })

  it("type-checks without Effect, and without the platform's types", async () => {
    copyFileSync(fixture("types/promises.ts"), join(alone, "promises.ts"))
    const source = readFileSync(join(alone, "promises.ts"), "utf8").replaceAll("@tollgate/node", `@tollgate/${name}`)
    writeFileSync(join(alone, "promises.ts"), source)
    for (const [version, tsc] of Object.entries(compilers))
      for (const resolution of resolutions) {
        const known =
          version === "5.5" ? strict.replace("--noUncheckedSideEffectImports ", "").replace("es2024", "es2023") : strict
        const file = join(alone, "promises.ts")
        const { ok, output } = await compile(tsc, `--noEmit ${known} ${resolution}`, file)
        expect({ version, resolution, ok, output }).toEqual({ version, resolution, ok: true, output: "" })
      }
  })
})

describe("@tollgate/ai, installed as its documents say", () => {
  const folders: Array<string> = []
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

  /** What npm says, and what a program that imports `name` says, in a project with these packages. */
  const installed = async (others: Readonly<Record<string, string>>, name: string) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-ai-"))
    folders.push(folder)
    const needed = packed.filter(({ name }) => /\/(?:contract|client|protocols|ai)$/.test(name))
    const tarballs = Object.fromEntries(needed.map(({ name, tarball }) => [name, `file:${tarball}`]))
    const effect = needed.find(({ manifest }) => manifest.devDependencies?.effect)!.manifest.devDependencies!.effect
    const manifest = { private: true, dependencies: { ...tarballs, effect, ...others }, overrides: tarballs }
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
    const npm = await program("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], folder)
    const imported = await program(process.execPath, ["--eval", `import("${name}")`], folder)
    return { npm, imported, has: (name: string) => existsSync(join(folder, "node_modules", name)) }
  }

  it("brings no `ai` to a program of Effect", async () => {
    const { has, imported, npm } = await installed({}, "@tollgate/ai/effect")
    expect([npm.ok, imported, has("ai")]).toEqual([true, expect.objectContaining({ ok: true, output: "" }), false])
  })

  it("brings what it needs for `ai` 7, without a warning about peers", async () => {
    const { imported, npm } = await installed({ ai: "^7.0.169" }, "@tollgate/ai")
    expect([npm.ok, imported]).toEqual([true, expect.objectContaining({ ok: true, output: "" })])
    expect(npm.output).not.toMatch(/peer|ERESOLVE/i)
  })

  it("is not installed beside `ai` 6, which refuses its models", async () => {
    const { npm } = await installed({ ai: "^6.0.0" }, "@tollgate/ai")
    expect(npm).toMatchObject({ ok: false, output: expect.stringMatching(/ERESOLVE[^]*peer/) })
  })
})

describe("a program for each entry point", () => {
  const files = ["effect.ts", "promises.ts", "both.ts", "kit.ts", "react.tsx", "hooks.tsx", "generated.ts"].map(
    (name) => join("types", name)
  )

  /** The functions that `tollgate codegen` writes for a contract that has an operation of its own. */
  const generate = async () => {
    const base = `${gateway.env.TOLLGATE_BASE_URL}/api/contracts`
    const { contentHash } = (await (await fetch(`${base}/version`)).json()) as { readonly contentHash: string }
    const answer = await fetch(`${base}/source?hash=${contentHash}&bundled=1`)
    const contract = (await answer.json()) as { readonly paths: Record<string, { readonly post: object }> }
    const own = { ...contract.paths["/v1/rerank"]!.post, operationId: "weather.rank" }
    const paths = { ...contract.paths, "/apis/v1/weather/rank": { post: own } }
    writeFileSync(join(project, "contract.json"), JSON.stringify({ ...contract, paths }))
    const command = ["node_modules/@tollgate/cli/dist/main.js", "codegen", "--from", "contract.json"]
    return program(process.execPath, [...command, "--out", "types/api.ts"], project)
  }

  beforeAll(async () => {
    cpSync(fixture("types"), join(project, "types"), { recursive: true })
    expect(await generate()).toMatchObject({ ok: true })
  })

  // The newest compiler is fast. Of the others, each compiles with both resolutions and both meanings of `?`.
  const cases = typescripts.flatMap((version) =>
    resolutions.flatMap((resolution, i) =>
      ["", " --exactOptionalPropertyTypes"]
        .filter((_, j) => version === "7.0" || i === j)
        .map((optional) => ({ version, options: `${resolution}${optional}` }))
    )
  )

  it.each(cases)("compiles with TypeScript $version and $options", async ({ options, version }) => {
    // What it does not know yet.
    const known =
      version === "5.5" ? strict.replace("--noUncheckedSideEffectImports ", "").replace("es2024", "es2023") : strict
    const checked = `${known} --skipLibCheck`
    const { ok, output } = await compile(compilers[version], `--noEmit ${checked} --jsx react-jsx ${options}`, ...files)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  it("runs where the documents say that @tollgate/node does", () => {
    const named = Object.entries(runtimes).flatMap(([name, packages]) =>
      (packages as ReadonlyArray<string>).includes("node") ? [name] : []
    )
    expect(Object.keys(runners)).toEqual(named)
  })

  for (const [name, command] of Object.entries(runners))
    it.skipIf(command === undefined).concurrent(
      `runs on ${name}: a call, streams, failures and what is resumed`,
      async () => {
        copyFileSync(fixture("runs.mjs"), join(project, `runs-${name.replace(" ", "")}.mjs`))
        const [file = "", ...args] = command ?? []
        const script = `runs-${name.replace(" ", "")}.mjs`
        const { ok, output, stdout } = await program(file, [...args, script], project, gateway.env)
        expect({ ok, output }).toMatchObject({ ok: true })
        expect(JSON.parse(stdout)).toEqual({
          call: [1, 0],
          stream: true,
          resumed: true,
          refused: "not executed",
          broken: "executed",
          again: true
        })
      }
    )
})

const why = await noContainers()
if (why !== undefined) console.log(`Not run: the test of the container image; ${why}.`)

describe.runIf(why === undefined)("the container image", () => {
  it("is built from the packages, and serves as nobody", async () => {
    const buildah = buildahIn(join(project, "containers"))
    await baseImage(buildah, "localhost/base")
    await imageOf(packed, { tag: "localhost/tollgate", builder: buildah, base: "localhost/base" })
    const [command = "", ...options] = buildah
    const run = (...words: ReadonlyArray<string>) => program(command, [...options, ...words])
    const { stdout } = await run("from", "localhost/tollgate")
    const container = stdout.trim()
    // `buildah run` ignores it.
    const entry: ReadonlyArray<string> = JSON.parse(
      /^ENTRYPOINT (.*)$/m.exec(readFileSync(containerfile, "utf8"))?.[1] ?? "[]"
    )
    const port = await freePort()
    const started = spawn(
      command,
      [...options, "run", "--env", `TOLLGATE_PORT=${port}`, container, "--", ...entry, "start"],
      { stdio: ["ignore", "pipe", "ignore"] }
    )
    const ended = once(started, "exit")
    await new Promise<void>((resolve) =>
      started.stdout.on("data", (text) => String(text).includes("Ctrl-C") && resolve())
    )
    expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()).toBe("ready")
    const { stdout: owner } = await run(
      "run",
      container,
      "--",
      "node",
      "-p",
      "[process.getuid(), require('fs').statSync('/data/secret').uid]"
    )
    expect(owner.trim()).toBe("[ 65532, 65532 ]")
    started.kill("SIGTERM")
    await ended
    await run("rm", "--all")
  })
})

describe("the programs in the documents", () => {
  const fileOf = ({ place }: Example) => place.replaceAll(/[/.:]/g, "-")

  beforeAll(async () => {
    mkdirSync(join(project, "examples"))
    for (const example of examples) writeFileSync(join(project, "examples", `${fileOf(example)}.ts`), example.code)
  })

  it("compile", async () => {
    const files = examples.map((example) => `examples/${fileOf(example)}.ts`)
    const options = `${strict} --module nodenext --types node --outDir compiled`
    const { ok, output } = await compile("tsc", options, ...files)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  // The tests themselves run on the workspace's Node. The gateway needs a newer one than the client.
  for (const example of examples.filter(({ runs }) => runs)) {
    const node = example.needsGateway ? undefined : node20
    it.concurrent(`run on ${node === undefined ? "the workspace's Node" : "Node 20"}: ${example.place}`, async () => {
      const file = join(project, "compiled", `${fileOf(example)}.js`)
      expect(await runExample(node ?? process.execPath, file, example, gateway.env)).toBe("")
    })
  }
})
