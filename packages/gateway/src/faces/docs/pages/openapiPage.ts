import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { codeBlock } from "../code.ts"
import { curlOf } from "../examples.ts"
import { frame, heading } from "../frame.ts"
import type { Site } from "../Site.ts"

/** Where the document in force is, relative to the gateway's address. */
const documentPath = (contentHash: string): string => `/api/contracts/source?hash=${contentHash}&bundled=1`

export const openapiPage = (site: Site, contentHash: string): Html => {
  const { baseUrl, entries, prefix } = site
  const source = entries.find(({ operation }) => operation.id === "contracts.source")
  const code = source && curlOf(site, source)
  return frame(
    site,
    {
      title: "OpenAPI",
      description: "The interface as an OpenAPI 3.0.3 document, by its content hash.",
      href: topicHref(prefix, "openapi")
    },
    html`<article class="text">
      <h1>OpenAPI</h1>
      <p class="lead">The whole interface as one OpenAPI 3.0.3 document, with this gateway's names and bindings.</p>
      <p>
        <a href="${prefix}${documentPath(contentHash)}">Open the document</a>. Its address has the hash of its content,
        so that it never changes under you: when the interface does, the old address answers 409.
      </p>
      ${code !== undefined && codeBlock({ title: "Download it", syntax: "sh", code })}
      ${heading("explore", "Explore it")}
      <p>
        Any OpenAPI tool reads it: Scalar, Swagger UI, Postman, Insomnia, or a generator of clients. Give the tool the
        address of the document. This gateway has no explorer built in, because the pages that you are reading show the
        same, with the prices in force.
      </p>
      ${codeBlock({ title: "Address of the document", syntax: "text", code: `${baseUrl}${documentPath(contentHash)}` })}
      ${heading("extensions", "What is beyond OpenAPI")}
      <ul>
        <li><code>x-definition</code>: whether the definition is complete or pending, and what is open.</li>
        <li><code>x-price-contract</code>: the rule by which the operation is billed.</li>
        <li>
          <code>x-replay-class</code>: whether a call may be repeated: <code>free</code>, <code>billed</code> or
          <code>create</code>.
        </li>
        <li><code>x-unbound-operations</code>: operations that have no path here yet.</li>
      </ul>
    </article>`
  )
}
