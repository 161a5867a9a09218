/** A query, and the operations that answer it, without their prefix. */
type Question = readonly [query: string, ...expected: ReadonlyArray<string>]

/** What a model searched for that had read only the text of the tool and what a user wanted, before anybody saw what it finds. */
export const modelQuestions: ReadonlyArray<Question> = [
  ["add item to a user project", "projects.add_item_for_user"],
  ["list review comments on a pull request", "pulls.list_review_comments"],
  ["list languages of a repository", "repos.list_languages"],
  ["get Actions cache storage limit for an enterprise", "actions.get_actions_cache_storage_limit_for_enterprise"],
  ["get an organization", "orgs.get"],
  ["get a global security advisory", "security_advisories.get_global_advisory"],
  ["list jobs for a workflow run attempt", "actions.list_jobs_for_workflow_run_attempt"],
  ["get a private registry for an organization", "private_registries.get_org_private_registry"],
  ["create or update a repository Actions secret", "actions.create_or_update_repo_secret"],
  ["list code quality findings of a repository", "code_quality.list_findings_for_repo"],
  ["get page views of a repository", "repos.get_views"],
  [
    "list self-hosted runners in a runner group of an organization",
    "actions.list_self_hosted_runners_in_group_for_org"
  ],
  ["get the latest release of a repository", "repos.get_latest_release"],
  ["delete an attestation by id of an organization", "orgs.delete_attestations_by_id"],
  ["list selected repositories for an organization Actions secret", "actions.list_selected_repos_for_org_secret"],
  [
    "set public organization membership for the authenticated user",
    "orgs.set_public_membership_for_authenticated_user"
  ],
  ["get webhook configuration for a repository", "repos.get_webhook_config_for_repo", "repos.get_webhook"],
  [
    "check if private vulnerability reporting is enabled for a repository",
    "repos.check_private_vulnerability_reporting"
  ],
  ["list events received by the authenticated user", "activity.list_received_events_for_user"],
  ["list repositories starred by a user", "activity.list_repos_starred_by_user"],
  ["delete a GitHub Pages site", "repos.delete_pages_site"],
  [
    "restore a package version for a user",
    "packages.restore_package_version_for_user",
    "packages.restore_package_version_for_authenticated_user"
  ],
  ["add a field to a user project", "projects.add_field_for_user"],
  ["dismiss a review for a pull request", "pulls.dismiss_review"],
  ["get an organization public key for coding agent secrets", "agents.get_org_public_key"],
  ["get a notification thread", "activity.get_thread"],
  ["delete a workflow run", "actions.delete_workflow_run"],
  ["list repositories Dependabot can access in an enterprise", "dependabot.repository_access_for_enterprise"],
  ["remove an organization member", "orgs.remove_member", "orgs.remove_membership_for_user"],
  [
    "list custom deployment protection rule integrations available for an environment",
    "repos.list_custom_deployment_rule_integrations"
  ]
]
