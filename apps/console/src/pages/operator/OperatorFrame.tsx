import { Link, Outlet, useLocation, useNavigate, useRouter } from "@tanstack/react-router"
import { TollgateProvider } from "@tollgate/react"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { type NotBegun, operator } from "../../session/sessions.ts"
import { SayProvider } from "../../ui/Say.tsx"
import styles from "./operator.module.css"
import { Card, Notice, Page } from "../../ui/kit.tsx"
import { useAttempt } from "../../ui/form.tsx"
import { Form, Wrong } from "../../ui/ChangeButton.tsx"
import { duration } from "../../ui/times.ts"

const useTabs = () =>
  Object.values(useRouter().routesById).flatMap(({ options, to }) => {
    const label = options.staticData?.tab
    return label === undefined ? [] : [{ label, to }]
  })

/** Finds a call, an account, a key, a model or an operation. */
const SearchBox = () => {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get("q")).trim()
    if (q !== "") void navigate({ to: "/operator/search", search: { q } })
  }
  return (
    <form className={styles.search} role="search" onSubmit={submit}>
      <input
        type="search"
        name="q"
        aria-label="Search this gateway"
        placeholder="Request id, account, key, model or address"
        maxLength={200}
        spellCheck={false}
        autoCapitalize="none"
      />
    </form>
  )
}

export const OperatorFrame = () => {
  const { ended, session } = operator.use()
  const client = session?.api
  const { pathname } = useLocation()
  const pages = useTabs()
  const isOpen = (to: string) => pathname === to || (to !== "/operator" && pathname.startsWith(`${to}/`))
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
        <SearchBox />
        <Outlet />
      </SayProvider>
    </TollgateProvider>
  )
}

/** The secret of the link that this page was opened with. The address forgets it: it works once. */
const takeLink = (): string | undefined => {
  const [, link] = /^#link=([\w-]+)$/.exec(location.hash) ?? []
  if (link !== undefined) history.replaceState(history.state, "", location.pathname)
  return link
}

const refusalOf = ({ message, retryAfter = 60_000, status }: NotBegun, isLink: boolean): string => {
  if (status === 401 && isLink) return "This link was used before, or has expired. tollgate sign-in prints another."
  if (status === 401) return "This is not the admin token of this gateway."
  return status === 429
    ? `Too many wrong tokens came from this address. Try again in ${duration(retryAfter)}.`
    : message
}

/** The operator's own way in, which has nothing to do with an account's. */
const OperatorSignIn = ({ ended }: { readonly ended: string | undefined }) => {
  const { attempt, busy, problem: refusal } = useAttempt((token: string) => operator.begin(token, "key"))
  const [isLink, setIsLink] = useState(false)
  useEffect(() => {
    const link = takeLink()
    setIsLink(link !== undefined)
    if (link !== undefined) attempt(link)
  }, [])
  return (
    <Page title="Operator" lead="Accounts, keys, prices, upstreams and the ledger of this gateway.">
      {ended === undefined || refusal !== undefined ? null : <Notice kind="warn">{ended}</Notice>}
      {refusal === undefined ? null : refusal.status === 404 ? (
        <Notice kind="warn" title="The admin API is off">
          <p>Set TOLLGATE_ADMIN_TOKEN to a secret of at least 16 characters, and start the gateway again.</p>
        </Notice>
      ) : (
        <Notice kind="bad" title={refusalOf(refusal, isLink)} />
      )}
      <div className={styles.signIn}>
        <Card>
          <Form<{ readonly token: string }>
            fields={{
              token: {
                label: "Admin token",
                hint: "The value of TOLLGATE_ADMIN_TOKEN. Without one, tollgate sign-in prints a link that signs you in. You stay signed in for at most 12 hours. The token is not stored in the page.",
                kind: "password",
                empty: new Wrong("Paste the admin token."),
                read: (text) =>
                  /^[\x21-\x7e]+$/.test(text) ? text : new Wrong("A token has no spaces and only plain characters.")
              }
            }}
            submit="Sign in"
            change={{ busy, error: undefined }}
            onSubmit={({ token }) => {
              setIsLink(false)
              attempt(token)
            }}
          />
        </Card>
      </div>
    </Page>
  )
}
