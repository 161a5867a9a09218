const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** The consent page. `approve` and `deny` are the targets of its links. */
export const page = (
  client: string,
  scopes: ReadonlyArray<string>,
  approve: string,
  deny: string
): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox platform</title></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem">
<h1>Sandbox platform: allow ${escape(client)}?</h1>
<p>It asks to act for you. This account is not real.</p>
<ul>${scopes.map((scope) => `<li>${escape(scope)}</li>`).join("")}</ul>
<p><a id="approve" href="${escape(approve)}">Approve</a> &nbsp; <a id="deny" href="${escape(deny)}">Deny</a></p>
</body>
</html>
`
