import { Link } from "@tanstack/react-router"
import { routes } from "../pages.ts"
import { outside } from "../session/gateway.ts"
import { Icon } from "../ui/Icon.tsx"

/** Those of the list that have a place in the menu. A route knows its path when the router is made. */
const menuPages = () =>
  routes.flatMap(({ fullPath: to, options }) => {
    const menu = options.staticData?.menu
    return menu === undefined ? [] : [{ to, ...menu }]
  })

/** The pages of the console. On a phone it is the menu, which a choice closes. */
export const Navigation = ({ onChoose }: { readonly onChoose: () => void }) => (
  <nav id="menu" aria-label="Pages" popover="auto">
    <ul>
      {menuPages().map(({ icon, label, to }) => (
        <li key={to}>
          <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onChoose}>
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
    <ul>
      <li>
        <Link to="/operator" onClick={onChoose}>
          <Icon name="operator" />
          Operator
        </Link>
      </li>
      <li>
        <a href={outside("/docs")}>
          <Icon name="docs" />
          Documentation
        </a>
      </li>
    </ul>
  </nav>
)
