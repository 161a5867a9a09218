import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { examples } from "../src/examples.ts"
import { pack } from "../src/pack.ts"
import { succeed } from "../src/program.ts"

const project = mkdtempSync(join(tmpdir(), "tollgate-bundles-"))
afterAll(() => rmSync(project, { recursive: true, force: true }))

/** As a person would choose them: the newest of a major version. */
const bundlers = {
  "@rollup/plugin-node-resolve": "^16.0.3",
  esbuild: "^0.28.2",
  rolldown: "^1.2.18",
  rollup: "^4.62.0",
  vite: "^8.3.8",
  webpack: "^5.110.0"
}

/** Programs for a page say in a comment how large they are at most: in kB, and then in kB with esbuild if it is another. */
const limitIn = /^\/\/ At most (\d+) kB(?:, (\d+) with esbuild)?\.$/m

const pages = examples.flatMap(({ code, place }) => {
  const [, most, withEsbuild = most] = limitIn.exec(code) ?? []
  return most === undefined
    ? []
    : [{ name: place.replaceAll(/[/.:]/g, "-"), code, most: +most, withEsbuild: +withEsbuild! }]
})

it("pages are as small as the documents say, with each bundler", async () => {
  const packed = await pack(project)
  const used = packed.filter(({ name }) =>
    ["@tollgate/contract", "@tollgate/client", "@tollgate/browser"].includes(name)
  )
  const tarballs = Object.fromEntries(used.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const effect = used.find(({ manifest }) => manifest.devDependencies?.effect)!.manifest.devDependencies!.effect
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...tarballs, effect },
    devDependencies: bundlers,
    overrides: tarballs
  }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
  await succeed(
    "npm",
    ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"],
    project
  )
  copyFileSync(join(import.meta.dirname, "fixtures/bundle.mjs"), join(project, "bundle.mjs"))
  const sources = Object.fromEntries(pages.map(({ code, name }) => [name, code]))
  const printed = await succeed(process.execPath, ["bundle.mjs", JSON.stringify(sources)], project)
  const sizes: Record<string, Record<string, number>> = JSON.parse(printed.trim().split("\n").at(-1)!)
  console.log(sizes)
  expect(pages.length).toBeGreaterThan(2)
  const over = pages.flatMap(({ most, name, withEsbuild }) =>
    Object.entries(sizes[name]!)
      .filter(([bundler, kB]) => kB > (bundler === "esbuild" ? withEsbuild : most))
      .map(([bundler, kB]) => `${name}: ${kB.toFixed(1)} kB with ${bundler}`)
  )
  expect(over).toEqual([])
})
