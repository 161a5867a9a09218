import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router"
import { TollgateProvider } from "@tollgate/react"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { type NotBegun, operator } from "../../session/sessions.ts"
import { SayProvider } from "../../ui/Say.tsx"
import styles from "./operator.module.css"
import { Button, Card, Code, Notice, Page } from "../../ui/kit.tsx"
import { TextField } from "../../ui/form.tsx"
import { duration } from "../../ui/times.ts"

/** The pages that are tabs. */
const useTabs = () =>
  Object.values(useRouter().routesById).flatMap(({ options, to }) => {
    const label = options.staticData?.tab
    return label === undefined ? [] : [{ label, to }]
  })

/** What is around every page of the operator. */
export const OperatorFrame = () => {
  const { ended, session } = operator.use()
  const client = session?.api
  const { pathname } = useLocation()
  const pages = useTabs()
  const isOpen = (to: string) => pathname === to || (to === "/operator" && pathname.startsWith("/operator/accounts"))
  const tabs = useRef<HTMLElement>(null)
  // On a phone the tabs scroll sideways. The one in view must be among them.
  useEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [client, pathname])
  if (client === undefined) return <OperatorSignIn ended={ended} />
  return (
    <TollgateProvider client={client}>
      <SayProvider>
        <nav ref={tabs} className={styles.bar} aria-label="Operator">
          <ul>
            {pages.map(({ label, to }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: true, includeSearch: false }}
                  aria-current={isOpen(to) ? "page" : undefined}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Outlet />
      </SayProvider>
    </TollgateProvider>
  )
}

type Refusal = { readonly kind: "off" } | { readonly kind: "field" | "notice"; readonly words: string }

const refusalOf = ({ message, retryAfter = 60_000, status }: NotBegun): Refusal => {
  if (status === 404) return { kind: "off" }
  if (status === 401) return { kind: "field", words: "This is not the admin token of this gateway." }
  if (status !== 429) return { kind: "notice", words: message }
  return {
    kind: "notice",
    words: `Too many wrong tokens came from this address. Try again in ${duration(retryAfter)}.`
  }
}

/** The operator's own way in, which has nothing to do with an account's. */
export const OperatorSignIn = ({ ended }: { readonly ended: string | undefined }) => {
  const [token, setToken] = useState("")
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const sent = token.trim()
    if (sent === "") return setRefusal({ kind: "field", words: "Paste the admin token." })
    if (!/^[\x21-\x7e]+$/.test(sent)) {
      return setRefusal({ kind: "field", words: "A token has no spaces and only plain characters." })
    }
    setBusy(true)
    setRefusal(undefined)
    const problem = await operator.begin(sent, "key")
    setBusy(false)
    if (problem !== undefined) setRefusal(refusalOf(problem))
  }
  return (
    <Page title="Operator" lead="Accounts, keys, prices, upstreams and the ledger of this gateway.">
      {ended === undefined || refusal !== undefined ? null : <Notice kind="warn">{ended}</Notice>}
      {refusal?.kind === "off" ? (
        <Notice kind="warn" title="The admin API is off">
          <p>To turn it on, start the gateway with a token of at least 16 characters in its environment.</p>
          <Code title="Shell" code={'TOLLGATE_ADMIN_TOKEN="$(openssl rand -hex 24)" pnpm start'} />
        </Notice>
      ) : null}
      {refusal?.kind === "notice" ? <Notice kind="bad" title={refusal.words} /> : null}
      <div className={styles.signIn}>
        <Card>
          <form onSubmit={(event) => void submit(event)} noValidate>
            <TextField
              label="Admin token"
              hint="The value of TOLLGATE_ADMIN_TOKEN. You stay signed in for at most 12 hours. The token is not stored in the page."
              error={refusal?.kind === "field" ? refusal.words : undefined}
              type="password"
              value={token}
              onChange={setToken}
            />
            <Button kind="main" type="submit" busy={busy} disabled={busy}>
              Sign in
            </Button>
          </form>
        </Card>
      </div>
    </Page>
  )
}
