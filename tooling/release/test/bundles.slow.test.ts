import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { examples } from "../src/examples.ts"
import { pack } from "../src/pack.ts"
import { succeed } from "../src/program.ts"

const project = mkdtempSync(join(tmpdir(), "tollgate-bundles-"))
afterAll(() => rmSync(project, { recursive: true, force: true }))

/** As a person would choose them: the newest of a major version. */
const packages = {
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

beforeAll(async () => {
  const names = ["@tollgate/contract", "@tollgate/client", "@tollgate/browser"]
  const used = (await pack(project)).filter(({ name }) => names.includes(name))
  const tarballs = Object.fromEntries(used.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const effect = used.find(({ manifest }) => manifest.devDependencies?.effect)!.manifest.devDependencies!.effect
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...tarballs, effect },
    devDependencies: packages,
    overrides: tarballs
  }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"]
  await succeed("npm", ["install", ...quiet], project)
  copyFileSync(join(import.meta.dirname, "fixtures/bundle.mjs"), join(project, "bundle.mjs"))
})

it.each(["esbuild", "vite", "rolldown", "rollup", "webpack"])(
  "pages are as small as the documents say, with %s",
  async (bundler) => {
    const sources = Object.fromEntries(pages.map(({ code, name }) => [name, code]))
    const printed = await succeed(process.execPath, ["bundle.mjs", bundler, JSON.stringify(sources)], project)
    const sizes: Readonly<Record<string, number>> = JSON.parse(printed.trim().split("\n").at(-1)!)
    console.log(bundler, sizes)
    expect(Object.keys(sizes).length).toBeGreaterThan(2)
    const isOver = ({ most, name, withEsbuild }: (typeof pages)[number]) =>
      sizes[name]! > (bundler === "esbuild" ? withEsbuild : most)
    expect(pages.filter(isOver).map(({ name }) => `${name}: ${sizes[name]} kB`)).toEqual([])
  }
)
