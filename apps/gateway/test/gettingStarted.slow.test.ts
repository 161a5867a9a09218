import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, dirname, join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { stepsIn } from "./guide/blocks.ts"
import { Reader } from "./guide/Reader.ts"
import { folder, removeFolders } from "./program.ts"

const root = join(import.meta.dirname, "../../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const page = read("docs/getting-started.md")

afterAll(removeFolders)

/** Below the ports that systems give out, so that nobody gets it before it is used. */
const freePort = async (): Promise<string> => {
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
  return free ? String(port) : freePort()
}

/** `npx … pnpm start` is the script of the clone, in the reader's folder; anything else is the real `npx`. */
const fakeNpx = (): string => {
  const { packageManager, scripts } = JSON.parse(read("package.json"))
  const [, main] = /^node (\S+)$/.exec(scripts.start) ?? []
  const npx = (process.env.PATH ?? "")
    .split(delimiter)
    .map((path) => join(path, "npx"))
    .find(existsSync)
  return `#!/bin/sh
if [ "$1 $2 $3" = "--yes ${packageManager} start" ]; then shift 3; exec node ${join(root, main!)} "$@"; fi
if [ "$3" = start ]; then echo "not the clone's pnpm: $2"; exit 1; fi
exec ${npx} "$@"
`
}

const newReader = async (): Promise<Reader> => {
  const own = folder()
  writeFileSync(join(own, "npx"), fakeNpx())
  chmodSync(join(own, "npx"), 0o755)
  const clone = join(own, "home/tollgate")
  mkdirSync(clone, { recursive: true })
  for (const name of ["packages", "node_modules"]) symlinkSync(join(root, name), join(clone, name))
  const ports = { "8787": await freePort(), "9000": await freePort() }
  // As in a terminal: without what the tests were started with.
  const outside = Object.entries(process.env).filter(([name]) => !/^(tollgate_|npm_|vitest|node_env|ci$)/i.test(name))
  const env = {
    ...Object.fromEntries(outside),
    PATH: [own, dirname(process.execPath), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/tollgate-program"),
    NPM_CONFIG_LOGLEVEL: "error",
    NPM_CONFIG_PREFER_OFFLINE: "true",
    TOLLGATE_PORT: ports["8787"]
  }
  return new Reader({ folder: clone, own, ports, env })
}

const readers: Array<Reader> = []
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave()
})

const follow = async (guide: string): Promise<string> => {
  const reader = await newReader()
  readers.push(reader)
  return reader.follow(guide)
}

describe("the guide", () => {
  it("shows what its commands print", async () => {
    expect(await follow(page)).toBe("")
  })

  it("is linked first after the command that starts the gateway", () => {
    const [, after = ""] = read("README.md").split("## Run it\n")
    expect(/\]\(([^)]+)\)/.exec(after)?.[1]).toBe("docs/getting-started.md")
  })
})

describe("a guide is wrong if", () => {
  const shell = (command: string, shown: string, language = "text") =>
    `\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`${language}\n${shown}\n\`\`\`\n`

  const wrong = {
    "a command fails": shell("echo a; false", "a"),
    "a command is unknown": shell("tolgate start", "a"),
    "a command prints something else": shell("echo b", "a"),
    "a command prints more": shell("echo a; echo b", "a"),
    "a command prints what is not shown": "```sh\necho a\n```\n",
    "a command prints other JSON": shell(`echo '{"a":[1,2]}'`, `{ "a": [1, 3] }`, "json"),
    "a command prints no JSON": shell("echo a", `{ "a": "…" }`, "json"),
    "a command needs an id that nobody printed": shell('case acct_… in *…) exit 1;; esac; echo "a"', "a"),
    "a variable is not set": shell('set -u; echo "$TOLLGATE_KEY"', "…"),
    "a program ends that should serve": "```sh terminal=one\nexit 3\n```\n\n```text\na\n```\n",
    "it uses another version of pnpm": shell("npx --yes pnpm@1.0.0 start --version", "…")
  }
  for (const [name, guide] of Object.entries(wrong))
    it(name, async () => {
      expect(await follow(guide)).toMatch(/^line 1: /)
    })

  it("a block is no command, no file and nothing that is printed", () => {
    expect(() => stepsIn("```yaml\na: 1\n```\n")).toThrow("line 1")
  })

  const right = {
    "times differ": shell("echo 2026-01-02T03:04:05Z", "2020-01-01T00:00:00Z"),
    "columns are wider": shell("echo 'a     b'", "a  b"),
    "lines are left out": shell("printf 'a\\nb\\nc\\nd\\n'", "a\n…\nd"),
    "values are left out": shell(`echo '{"a":{"b":1},"c":"id_1"}'`, `{ "a": "…", "c": "id_…" }`, "json"),
    "a variable is set before": "```sh\nexport A=1\ncd /\n```\n" + shell("echo $A $PWD", "1 /")
  }
  for (const [name, guide] of Object.entries(right))
    it(`but not if ${name}`, async () => {
      expect(await follow(guide)).toBe("")
    })
})
