/** What an MCP client of either generation keeps during a sign-in. The parameters are its own types. */
export const makeProvider = <Client, Tokens, Discovery>(redirectUrl: string) => {
  let client: Client | undefined
  let tokens: Tokens | undefined
  let discovery: Discovery | undefined
  let verifier = ""
  let opened: URL | undefined
  return {
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: "An agent",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "none"
      },
      state: () => "the-state",
      clientInformation: () => client,
      saveClientInformation: (information: Client) => void (client = information),
      tokens: () => tokens,
      saveTokens: (saved: Tokens) => void (tokens = saved),
      redirectToAuthorization: (url: URL) => void (opened = url),
      saveCodeVerifier: (saved: string) => void (verifier = saved),
      codeVerifier: () => verifier,
      saveDiscoveryState: (state: Discovery) => void (discovery = state),
      discoveryState: () => discovery
    },
    /** Where the client sends its user. */
    opened: () => opened?.href ?? "",
    tokens: () => tokens
  }
}
