import type { Platform } from "./Platform.ts"

/** RFC 6749, section 4.1.1, and RFC 7636, section 4.3. */
export const authUrl = (
  { authorizeUrl, clientId, redirectUri }: Platform["Service"],
  link: { readonly state: string; readonly challenge: string; readonly scopes: ReadonlyArray<string> }
): string => {
  const query = Object.entries({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: link.scopes.join(" "),
    state: link.state,
    code_challenge: link.challenge,
    code_challenge_method: "S256"
  })
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")
  return `${authorizeUrl}${authorizeUrl.includes("?") ? "&" : "?"}${query}`
}
