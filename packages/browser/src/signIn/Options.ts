/** The endpoints of a server that does not publish metadata. */
export interface Endpoints {
  /** The `iss` that the server sends in its answers. */
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
}

/** Set one of the three. With `resource` alone, the gateway names the authorization server (RFC 9728). */
type ServerOptions =
  | { readonly issuer: string; readonly authorizationServer?: never; readonly resource?: string }
  | { readonly authorizationServer: Endpoints; readonly issuer?: never; readonly resource?: string }
  | { readonly resource: string; readonly issuer?: never; readonly authorizationServer?: never }

interface ClientOptions {
  /** The id of a public client, which has no secret. */
  readonly clientId: string
  /** A page of the same origin, registered at the server. It calls `completeSignIn`. */
  readonly redirectUri: string
  readonly scopes?: ReadonlyArray<string>
  /**
   * By default tokens are in memory, and a reload signs the user out. In `sessionStorage` they last until the tab is
   * closed, but every script in the page, an injected one too, can read them and use them elsewhere.
   */
  readonly keep?: "sessionStorage"
}

/** `resource` is the address of the API that the tokens grant access to (RFC 8707). */
export type Options = ServerOptions & ClientOptions
