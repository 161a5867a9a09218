import type { Machine } from "@tollgate/gateway/driver"
import type { AdapterPayload } from "oidc-provider"

/** A machine as a client: it has no page to return to, and its secret is there as a digest. */
export const machineClient = ({ digest, id, name, scopes }: Machine): AdapterPayload => ({
  client_id: id,
  client_name: name,
  client_secret: digest,
  scope: scopes.join(" "),
  redirect_uris: [],
  response_types: [],
  grant_types: ["client_credentials"],
  token_endpoint_auth_method: "client_secret_basic"
})
