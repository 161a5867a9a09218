import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { onPath } from "./onPath.ts"

/** Cloudflare's runtime. `undefined`: not installed. */
export const workerd = onPath("workerd")

export interface Compatibility {
  readonly date: string
  readonly flags?: ReadonlyArray<string>
}

const config = ({ date, flags = [] }: Compatibility): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "${date}",
      compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(", ")}]
    )),
    (name = "internet", network = (allow = ["public", "private", "local"]))
  ],
  sockets = [(name = "main", address = "127.0.0.1:0", http = (), service = "main")]
);
`

/** Serves a Worker, an ES module, and returns its address. */
export const serve = Effect.fnUntraced(function* (script: string, compatibility: Compatibility) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "tollgate-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )
  yield* Effect.promise(async () => {
    await writeFile(join(folder, "worker.js"), script)
    await writeFile(join(folder, "config.capnp"), config(compatibility))
  })
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(workerd ?? "workerd", ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
        stdio: ["ignore", "inherit", "inherit", "pipe"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit")
      })
  )
  const [line] = yield* Effect.promise(() => once(createInterface(child.stdio[3] as Readable), "line"))
  const { port }: { readonly port: number } = JSON.parse(line)
  return `http://127.0.0.1:${port}`
})
