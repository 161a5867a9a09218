import { build, type BuildOptions } from "esbuild"
import { fileURLToPath } from "node:url"
import type { Settings } from "./perform.ts"

const bundle = async (program: string, settings: Settings, options: BuildOptions): Promise<string> => {
  const { outputFiles = [] } = await build({
    entryPoints: [fileURLToPath(new URL(`./${program}.program.ts`, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    define: { SETTINGS: JSON.stringify(settings) },
    ...options
  })
  return outputFiles[0]?.text ?? ""
}

/** For no specific platform, so that bundling fails on platform modules. */
const neutral: BuildOptions = { platform: "neutral", mainFields: ["module", "main"] }

export const bundleNeutral = (settings: Settings): Promise<string> =>
  bundle("runtimes", settings, { format: "iife", ...neutral })

export const bundleWorker = (settings: Settings): Promise<string> =>
  bundle("worker", settings, { format: "esm", ...neutral })

export const bundleForNode = (settings: Settings): Promise<string> =>
  bundle("runtimesNode", settings, { format: "cjs", platform: "node" })
