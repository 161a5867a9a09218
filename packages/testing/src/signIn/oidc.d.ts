/** The part that the tests use: the package has no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  interface Client {
    readonly client_id: string
    readonly client_secret?: string
    readonly redirect_uris: ReadonlyArray<string>
    readonly response_types?: ReadonlyArray<string>
    readonly grant_types: ReadonlyArray<string>
    readonly token_endpoint_auth_method?: "none"
  }

  interface Resource {
    readonly scope: string
    readonly audience: string
    readonly accessTokenFormat: "opaque"
  }

  interface Configuration {
    readonly clients: ReadonlyArray<Client>
    readonly cookies: { readonly keys: ReadonlyArray<string> }
    readonly issueRefreshToken: () => boolean
    readonly features: {
      readonly introspection: { readonly enabled: boolean }
      readonly revocation: { readonly enabled: boolean }
      readonly resourceIndicators: {
        readonly getResourceServerInfo: (context: unknown, resource: string) => Resource
      }
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
    on(event: "grant.success", listener: (context: { readonly oidc: { readonly params: object } }) => void): this
  }
}
