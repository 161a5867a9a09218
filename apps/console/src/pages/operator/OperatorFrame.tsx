import { Link, Outlet } from "@tanstack/react-router"
import { TollgateProvider } from "@tollgate/react"
import { Button } from "../../ui/Button.tsx"
import { OperatorSignIn } from "./OperatorSignIn.tsx"
import { signOutOperator, useOperatorClient } from "./operatorSession.ts"
import { SayProvider } from "./parts/Say.tsx"
import styles from "./operator.module.css"

const pages = [
  { to: "/operator", label: "Accounts" },
  { to: "/operator/prices", label: "Prices" },
  { to: "/operator/upstreams", label: "Upstreams" },
  { to: "/operator/audit", label: "Audit" },
  { to: "/operator/configuration", label: "Configuration" }
] as const

/** What is around every page of the operator. */
export const OperatorFrame = () => {
  const client = useOperatorClient()
  if (client === undefined) return <OperatorSignIn />
  return (
    <TollgateProvider client={client}>
      <SayProvider>
        <div className={styles.bar}>
          <nav aria-label="Operator">
            <ul>
              {pages.map(({ label, to }) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: to === "/operator" }}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Button kind="quiet" onClick={signOutOperator}>
            Leave
          </Button>
        </div>
        <Outlet />
      </SayProvider>
    </TollgateProvider>
  )
}
