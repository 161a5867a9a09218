import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./program.ts"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly license?: string
  readonly sideEffects?: boolean | ReadonlyArray<string>
  readonly private?: boolean
  readonly packageManager?: string
  readonly bin?: Readonly<Record<string, string>>
  readonly engines?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | null>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace. */
export interface Member {
  /** Relative to the root, such as `packages/contract`. */
  readonly folder: string
  readonly manifest: Manifest
}

export const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8"))

export const members: ReadonlyArray<Member> = globSync("{packages,apps}/*/package.json", { cwd: root })
  .sort()
  .map((file) => ({ folder: dirname(file), manifest: readManifest(join(root, file)) }))

/** Whether a package has files to serve and nothing to import or to run. */
export const isStatic = ({ bin, exports = {} }: Manifest): boolean =>
  bin === undefined && Object.keys(exports).every((path) => path.endsWith(".json"))

/** The packages to publish: not private, and with at least one source file. */
export const published = members.filter(
  ({ folder, manifest }) => manifest.private !== true && globSync("src/**/*.ts", { cwd: join(root, folder) }).length > 0
)
