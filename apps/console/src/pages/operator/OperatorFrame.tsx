import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router"
import { TollgateProvider } from "@tollgate/react"
import { useEffect, useRef } from "react"
import { useOperator } from "../../session/operator.ts"
import { OperatorSignIn } from "./OperatorSignIn.tsx"
import { SayProvider } from "./parts/Say.tsx"
import styles from "./operator.module.css"

/** The pages that are tabs. */
const useTabs = () =>
  Object.values(useRouter().routesById).flatMap(({ options, to }) => {
    const label = options.staticData?.tab
    return label === undefined ? [] : [{ label, to }]
  })

/** What is around every page of the operator. */
export const OperatorFrame = () => {
  const { ended, session } = useOperator()
  const client = session?.client
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
