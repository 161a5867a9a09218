import { execFile, execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort, type RestartableServer, serve } from "./server.ts"

const run = promisify(execFile)

const debian = "/usr/lib/postgresql"

/** The folder with `initdb` and `postgres`: `POSTGRES_BIN`, or the newest that Debian installed. */
export const findPostgres = (): string | undefined => {
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const places = [process.env.POSTGRES_BIN, ...versions.map((version) => join(debian, version, "bin"))]
  return places.find((folder) => folder !== undefined && existsSync(join(folder, "initdb")))
}

/** PostgreSQL does not run as root. Debian's package makes a user for it. */
const userToRunAs = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

/** Another order of texts than SQLite's. */
const initdbFlags = ["-U", "tollgate", "-A", "trust", "-E", "UTF8", "--locale-provider=icu", "--icu-locale=en", "-N"]
const settings = ["max_connections=300", "shared_buffers=64MB", "max_wal_size=4GB", "autovacuum_naptime=5"]

const isAccepting = (binaries: string, port: number): Promise<boolean> =>
  run(join(binaries, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)]).then(
    () => true,
    () => false
  )

/** Starts a server of its own in a temporary folder. Nothing of it outlives the machine, so it needs no fsync. */
export const startPostgres = async (
  binaries: string,
  { fsync = false, standbyOf }: { readonly fsync?: boolean; readonly standbyOf?: string } = {}
): Promise<RestartableServer> => {
  const user = userToRunAs()
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  const options = { cwd: folder, env: { LC_ALL: "C.UTF-8", PATH: process.env.PATH ?? "" }, ...user }
  if (standbyOf === undefined) await run(join(binaries, "initdb"), [...initdbFlags, "-D", data], options)
  else
    await run(join(binaries, "pg_basebackup"), ["-R", "-c", "fast", "-D", data, "-d", `${standbyOf}/postgres`], options)
  const port = await freePort()
  const flags = [...settings, `fsync=${fsync ? "on" : "off"}`].flatMap((setting) => ["-c", setting])
  return serve({
    name: "PostgreSQL",
    url: `postgres://tollgate@127.0.0.1:${port}`,
    folder,
    command: [join(binaries, "postgres"), "-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder, ...flags],
    options,
    signal: "QUIT",
    isAccepting: () => isAccepting(binaries, port)
  })
}

/** PgBouncer, if it is installed. */
export const findPgbouncer = (): string | undefined =>
  [process.env.PGBOUNCER, "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(
    (path) => path !== undefined && existsSync(path)
  )
