import { Icon, Mark } from "../../frame/Icon.tsx"
import { gateway, outside } from "../../session/gateway.ts"
import styles from "./signIn.module.css"

const links = [
  { path: "/docs", title: "Every operation", text: "with its price, its limits and code that runs" },
  { path: "/docs/rules", title: "What is charged", text: "and what is never charged twice" },
  { path: "/docs/sdks", title: "SDKs you know", text: "pointed here with an address and a key" }
]

/** What this gateway is, for those who see it for the first time. */
export const Introduction = () => (
  <section className={styles.introduction} aria-label="About this gateway">
    <p className={styles.name}>
      <Mark />
      {gateway.name}
    </p>
    <p className={styles.sentence}>One key for every API. The price before each call, the charge after it.</p>
    <ul>
      {links.map(({ path, text, title }) => (
        <li key={path}>
          <a href={outside(path)}>
            <strong>
              {title} <Icon name="arrow" />
            </strong>
            <span>{text}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
)
