import * as oauth from "oauth4webapi"
import { type Decision, Person } from "./Person.ts"

/** This gateway is at http on this machine. */
export const insecure = { [oauth.allowInsecureRequests]: true }

export const redirectUri = "http://127.0.0.1:9/callback"

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly scope?: string | undefined
}

interface Asking extends Decision {
  readonly scope?: string
  readonly resource?: string
  readonly person?: Person
}

/** An OAuth client by `oauth4webapi`, which checks all answers. */
export class TestClient {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly #authentication: oauth.ClientAuth

  constructor(server: oauth.AuthorizationServer, client: oauth.Client, authentication = oauth.None()) {
    this.server = server
    this.client = client
    this.#authentication = authentication
  }

  static async discover(baseUrl: string): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(baseUrl)
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  /** Registers a public client, unless `metadata` says otherwise. */
  static async register(
    baseUrl: string,
    metadata: Readonly<Record<string, oauth.JsonValue>> = {}
  ): Promise<TestClient> {
    const server = await TestClient.discover(baseUrl)
    const response = await oauth.dynamicClientRegistrationRequest(
      server,
      {
        client_name: "A test",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "none",
        ...metadata
      },
      insecure
    )
    const client = await oauth.processDynamicClientRegistrationResponse(response)
    const { client_secret } = client
    return new TestClient(
      server,
      client,
      typeof client_secret === "string" ? oauth.ClientSecretBasic(client_secret) : oauth.None()
    )
  }

  async address(verifier: string, more: Readonly<Record<string, string | undefined>> = {}): Promise<URL> {
    const url = new URL(this.server.authorization_endpoint ?? "")
    const parameters = {
      client_id: this.client.client_id,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "use usage",
      state: "the-state",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: this.server.issuer,
      ...more
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
    return url
  }

  /** A person approves. Returns the address with the code, and what is needed to use it. */
  async approved({ person = new Person(), resource, scope, ...decision }: Asking = {}) {
    const verifier = oauth.generateRandomCodeVerifier()
    const address = await this.address(verifier, {
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource })
    })
    return { verifier, callback: await person.decide(address.href, decision) }
  }

  async exchange(callback: URL, verifier: string, more: Readonly<Record<string, string>> = {}): Promise<Tokens> {
    const parameters = oauth.validateAuthResponse(this.server, this.client, callback, "the-state")
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      this.#authentication,
      parameters,
      redirectUri,
      verifier,
      { ...insecure, additionalParameters: more }
    )
    return oauth.processAuthorizationCodeResponse(this.server, this.client, response)
  }

  /** The whole way, from the request to the tokens. */
  async signIn(asking: Asking = {}): Promise<Tokens> {
    const { callback, verifier } = await this.approved(asking)
    return this.exchange(callback, verifier, { resource: asking.resource ?? this.server.issuer })
  }

  async refresh(token: string): Promise<Tokens> {
    const response = await oauth.refreshTokenGrantRequest(
      this.server,
      this.client,
      this.#authentication,
      token,
      insecure
    )
    return oauth.processRefreshTokenResponse(this.server, this.client, response)
  }

  async revoke(token: string): Promise<void> {
    const response = await oauth.revocationRequest(this.server, this.client, this.#authentication, token, insecure)
    await oauth.processRevocationResponse(response)
  }

  async introspect(token: string): Promise<oauth.IntrospectionResponse> {
    const response = await oauth.introspectionRequest(this.server, this.client, this.#authentication, token, insecure)
    return oauth.processIntrospectionResponse(this.server, this.client, response)
  }
}
