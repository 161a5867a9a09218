import { attempt } from "@tollgate/contract/attempt"
import { codings, FixedDocument } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, extname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { guideFolders } from "../package.ts"

export interface ConsoleFile {
  readonly bytes: Uint8Array
  /** As it is sent: also compressed, if the build made that. */
  readonly document: FixedDocument
  readonly contentType: string
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64url").slice(0, 22)

type Compressed = readonly [(typeof codings)[number], Effect.Effect<Uint8Array>]

export const consoleFile = (
  bytes: Uint8Array,
  contentType: string,
  compressed: ReadonlyArray<Compressed> = []
): ConsoleFile => ({ bytes, document: new FixedDocument(hashOf(bytes), bytes, compressed), contentType })

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

const endings = { br: ".br", gzip: ".gz" }

const compressedOf = (path: string): ReadonlyArray<Compressed> =>
  codings.flatMap(
    (coding) => attempt(() => [[coding, Effect.succeed(readFileSync(path + endings[coding]))] as const]) ?? []
  )

const read = (path: string): ConsoleFile =>
  consoleFile(readFileSync(path), types[extname(path)] ?? "application/octet-stream", compressedOf(path))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
    .map(({ name, parentPath }) => join(parentPath, name))

/** The built console, by path: `/index.html`. Empty if it is not built, as in a checkout that was never started. */
export const consoleFiles = (): ReadonlyMap<string, ConsoleFile> => {
  try {
    const folder = join(dirname(fileURLToPath(import.meta.resolve("@tollgate/console/package.json"))), "dist")
    return new Map(
      filesIn(folder).map((path) => [`/${relative(folder, path).split(sep).join("/")}`, read(path)] as const)
    )
  } catch {
    return new Map()
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => attempt(() => readdirSync(folder)) ?? []

const textsIn = (folder: string, ending: string): ReadonlyArray<readonly [string, string]> =>
  namesIn(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "utf8")])

export const guideFiles = (): ReadonlyMap<string, string> => {
  const folder = guideFolders().find((one) => namesIn(one).includes("getting-started.md"))
  return folder === undefined
    ? new Map()
    : new Map([
        ...textsIn(folder, ".md"),
        ...textsIn(join(folder, "images"), ".svg").map(([name, text]) => [`images/${name}`, text] as const)
      ])
}
