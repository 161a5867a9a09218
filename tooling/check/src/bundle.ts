import { globSync } from "node:fs"
import { build, type BuildOptions, type Metafile } from "esbuild"
import { root } from "../../release/src/program.ts"

export type Inputs = Metafile["inputs"]

type Outside = Pick<BuildOptions, "external" | "packages">

/** The files that esbuild reads when every file of a folder is an entry point. */
export const bundle = async (folder: string, outside: Outside): Promise<Inputs> => {
  const entryPoints = globSync(`${folder}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ["**/node_modules/**", "**/fixtures/**"]
  })
  if (entryPoints.length === 0) return {}
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    ...outside,
    bundle: true,
    // Without it every entry point gets its own copy of what it shares with others, which takes most of a minute.
    splitting: true,
    write: false,
    metafile: true,
    outdir: "dist",
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    loader: { ".svg": "empty", ".html": "empty" },
    logLevel: "silent"
  })
  return metafile.inputs
}
