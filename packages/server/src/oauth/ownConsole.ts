import { consoleId } from "@tollgate/gateway/driver"
import type { ClientMetadata } from "oidc-provider"

/** Where the console of a gateway completes a sign-in. */
const signInPath = "/sign-in"

/** The console as a client, whose id nobody can register. Its one address is compared exactly, so no other program can get its codes. */
export const ownConsole = (baseUrl: string, name: string): ClientMetadata => ({
  client_id: consoleId,
  client_name: `${name} console`,
  application_type: "web",
  redirect_uris: [`${baseUrl.replace(/\/$/, "")}${signInPath}`],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})
