// The renderer has a dark look, but does not take it by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

const nothing = () => () => null;

/** The one address, as text to copy instead of a list to choose from. */
const baseAddress =
  (_, { React, specSelectors }) =>
  () =>
    React.createElement(
      "section",
      { "aria-label": "Base address", className: "base-address" },
      "Base address: ",
      React.createElement("code", null, specSelectors.servers().first().get("url")),
    );

/** What the renderer leaves outside every landmark. */
const asRegion =
  (Info, { React }) =>
  (props) =>
    React.createElement("section", { "aria-label": "About" }, React.createElement(Info, props));

/** Before the endpoints a heading, which the renderer leaves out. */
const underHeading =
  (Operations, { React }) =>
  (props) => [
    React.createElement("h2", { key: "heading" }, "Endpoints"),
    React.createElement(Operations, { ...props, key: "operations" }),
  ];

/** A name that is only text: it stands in a button, where a link would be one Tab more. */
const text =
  (_, { React }) =>
  (props) =>
    React.createElement("span", null, props.text);

// Nothing is tried out from here, and no key is asked for: it does not belong into a page that anybody can open.
SwaggerUIBundle({
  url: "/reference/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  supportedSubmitMethods: [],
  plugins: [
    {
      wrapComponents: {
        authorizeBtn: nothing,
        authorizeOperationBtn: nothing,
        InfoContainer: asRegion,
        ServersContainer: baseAddress,
        operations: underHeading,
        DeepLink: text,
      },
    },
  ],
  // Otherwise the document would be sent to somebody's validator.
  validatorUrl: null,
});
