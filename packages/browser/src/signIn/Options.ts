/** Where the server is, for one that does not publish its metadata. */
export interface Endpoints {
  /** What the server calls itself in the `iss` of its answers. */
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
}

/** One of the three says where to sign in; `resource` alone asks the gateway (RFC 9728). */
type Where =
  | { readonly issuer: string; readonly authorizationServer?: never; readonly resource?: string }
  | { readonly authorizationServer: Endpoints; readonly issuer?: never; readonly resource?: string }
  | { readonly resource: string; readonly issuer?: never; readonly authorizationServer?: never }

interface Who {
  /** Of a public client: a page keeps no secret. */
  readonly clientId: string
  /** A page of the same origin, as the server has it on record; it calls `completeSignIn`. */
  readonly redirectUri: string
  readonly scopes?: ReadonlyArray<string>
  /**
   * Tokens are in memory unless this is set, and a page that is loaded anew is signed out. In `sessionStorage` they
   * outlive that, until the tab is closed, but then every script that ever runs in the page, one that was injected too,
   * can read them there and take them away, with the refresh token, to use them elsewhere.
   */
  readonly keep?: "sessionStorage"
}

/** `resource` is the address of the API that the tokens are for (RFC 8707). */
export type Options = Where & Who
