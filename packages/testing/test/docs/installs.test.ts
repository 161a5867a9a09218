import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const published = new Map(
  globSync("{packages,apps}/*/package.json", { cwd: root })
    .map((file) => JSON.parse(read(file)) as Manifest)
    .filter((manifest) => manifest.private !== true)
    .map((manifest) => [manifest.name, manifest])
)

const neededBy = (name: string): ReadonlyArray<string> => {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = published.get(name) ?? { peerDependencies: {} }
  return Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
}

/** The packages that each block of a document installs, without their versions. */
const blocks = globSync(["README.md", "docs/*.md", "{packages,apps}/*/README.md"], { cwd: root })
  .toSorted()
  .flatMap((file) =>
    [...read(file).matchAll(/^```sh.*\n([^]*?)^```$/gm)].map(([, text = ""]) => ({
      file,
      names: [...text.matchAll(/^npm install ([^#\n]*)/gm)].flatMap(([, words = ""]) =>
        words.split(/\s+/).flatMap((word) => /^(@?[^@\s]+)/.exec(word)?.[1] ?? [])
      )
    }))
  )
  .filter(({ names }) => names.length > 0)

describe("the packages that a document installs", () => {
  it("are in many documents", () => {
    expect(blocks.length).toBeGreaterThan(10)
  })

  it.each(blocks)("$file: exist, with all that they need beside them", ({ names }) => {
    const own = names.filter((name) => name.startsWith("@tollgate/"))
    expect(own.filter((name) => !published.has(name))).toEqual([])
    expect(own.flatMap(neededBy).filter((peer) => !names.includes(peer))).toEqual([])
  })
})
