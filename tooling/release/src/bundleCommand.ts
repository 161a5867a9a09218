import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { bundleGateway } from "../../programs/gateway.ts"
import { licences } from "./licences.ts"

// Runs as `prepack` in apps/gateway: the command starts in a third of the time if it is a few files. Nobody imports it.
rmSync("dist", { recursive: true, force: true })
const { metafile } = await bundleGateway({ outdir: "dist", sourcemap: "linked", sourcesContent: false })
writeFileSync("dist/LICENSES.txt", licences(process.cwd(), [metafile]))

/** Where npm puts the packages: with their sources, beside this one. */
const installed = (source: string): string =>
  source
    .replace(/^.*node_modules\//, "../../../")
    .replace(/^\.\.\/\.\.\/\.\.\/packages\//, "../../")
    // The module that stands for it.
    .replace(/^redis:redis$/, "../../../redis/dist/index.js")

for (const file of globSync("dist/*.map")) {
  const map: { readonly sources: ReadonlyArray<string> } = JSON.parse(readFileSync(file, "utf8"))
  writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map(installed) }))
}
