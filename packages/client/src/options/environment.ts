import { isPolled } from "../pace/Permit.ts"

/** The version of this package. `pnpm generate` writes it. */
export const version = "0.1.0"

interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string>>
    readonly versions?: Readonly<Record<string, string>>
  }
  readonly Deno?: {
    readonly permissions: {
      readonly querySync: (of: { readonly name: "env"; readonly variable: string }) => { readonly state: string }
    }
  }
}

/** The globals of a runtime that is no page. */
const runtime = (): Runtime => ("document" in globalThis ? {} : (globalThis as Runtime))

/** A variable of the environment. Deno is not made to ask its user for permission. */
export const environment = (variable: string): string | undefined => {
  const { Deno, process } = runtime()
  const isAllowed = Deno === undefined || Deno.permissions.querySync({ name: "env", variable }).state === "granted"
  return isAllowed ? process?.env?.[variable] || undefined : undefined
}

/** Names the client and the runtime. Not in pages and their workers, where the header would need the gateway's permission. */
export const userAgent = (): Readonly<Record<string, string>> => {
  const { versions = {} } = runtime().process ?? {}
  const name = ["deno", "bun", "node"].find((name) => name in versions)
  const host = isPolled ? "cloudflare-workers" : name && `${name}/${versions[name]}`
  return host === undefined ? {} : { "user-agent": `tollgate-client/${version} ${host}` }
}
