import { freePort } from "@tollgate-tooling/programs/server.ts"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { folder } from "../program.ts"
import { Reader } from "./Reader.ts"

const root = join(import.meta.dirname, "../../../..")

/** A file of the repository. */
export const read = (file: string): string => readFileSync(join(root, file), "utf8")

const find = (program: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((path) => join(path, program))
    .find(existsSync)

/**
 * `npx … pnpm start` is the script of the clone, in the reader's folder, and `npx @tollgate/cli` the program `tollgate`; anything
 * else is the real `npx`.
 */
const fakeNpx = (): string => {
  const { packageManager, scripts } = JSON.parse(read("package.json"))
  const [, main] = /^node (\S+)$/.exec(scripts.start) ?? []
  return `#!/bin/sh
if [ "$1 $2 $3" = "--yes ${packageManager} start" ]; then shift 3; exec node ${join(root, main!)} "$@"; fi
if [ "$1" = "@tollgate/cli" ]; then shift; exec tollgate "$@"; fi
if [ "$3" = start ]; then echo "not the clone's pnpm: $2"; exit 1; fi
exec ${find("npx")} "$@"
`
}

/** Fails if the answer is an error, and shows no progress. */
const strictCurl = (): string => `#!/bin/sh\nexec ${find("curl")} --silent --show-error --fail-with-body "$@"\n`

/** Leaves the number of the process that serves in a file. */
const installed = (program: string, pid: string): string => `#!/bin/sh
if [ "\${1:-start}" = start ]; then echo $$ > ${pid}; fi
exec node ${program} "$@"
`

export interface Equipment {
  /** The program `tollgate`. With it `curl` fails if an answer is an error. */
  readonly tollgate?: string
  /** Addresses and folders of the guide, and those to use in their place. */
  readonly replaced?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** More folders of programs. */
  readonly path?: ReadonlyArray<string>
}

/** Somebody with a clone of the repository in a home of their own. */
export const newReader = async ({ env = {}, path = [], replaced = {}, tollgate }: Equipment = {}): Promise<Reader> => {
  const own = folder()
  const pid = join(own, "pid")
  const scripts = {
    npx: fakeNpx(),
    ...(tollgate === undefined ? {} : { tollgate: installed(tollgate, pid), curl: strictCurl() })
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(own, name), script)
    chmodSync(join(own, name), 0o755)
  }
  const home = join(own, "home")
  const clone = join(home, "tollgate")
  mkdirSync(clone, { recursive: true })
  for (const name of ["packages", "node_modules"]) symlinkSync(join(root, name), join(clone, name))
  const ports = { "8787": `${await freePort()}`, "9000": `${await freePort()}`, "9464": `${await freePort()}` }
  const places = { "/tmp/": `${own}/`, "/backup": join(own, "backup"), "<pid>": `$(cat ${pid})` }
  // As in a terminal: without what the tests were started with.
  const outside = Object.entries(process.env).filter(([name]) => !/^(tollgate_|npm_|vitest|node_env|ci$)/i.test(name))
  return new Reader({
    folder: clone,
    own,
    replaced: [replaced, tollgate === undefined ? {} : places, ports].flatMap((given) => Object.entries(given)),
    env: {
      ...Object.fromEntries(outside),
      ...(tollgate === undefined ? {} : { HOME: home }),
      PATH: [own, dirname(process.execPath), ...path, process.env.PATH].join(delimiter),
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/tollgate-program"),
      NPM_CONFIG_LOGLEVEL: "error",
      NPM_CONFIG_PREFER_OFFLINE: "true",
      TOLLGATE_PORT: ports["8787"],
      ...env
    }
  })
}
