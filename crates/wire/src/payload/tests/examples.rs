//! A full example of every type that can be posted.

const ACCOUNT_LINKING: &str = r#"{
    "text":"Please sign in",
    "url":"https://shop.example/login",
    "redirect_url":"https://shop.example/done",
    "params":{"user_id":1,"topic_id":2,"button_text":"Sign in","view_title":"Shop"}
}"#;

const BUTTON_POSTBACK_RESPONSE: &str = r#"{
    "url":"https://shop.example/yes",
    "method":"get",
    "payload":{"order":17}
}"#;

const BUTTONS: &str = r#"{
    "text":"Shall we go on?",
    "buttons":[
        {
            "label":"Yes",
            "type":"postback",
            "payload":{"url":"https://shop.example/yes","method":"get","payload":null}
        },
        {"label":"Shop","type":"link","payload":{"url":"https://shop.example"}}
    ]
}"#;

const CARD: &str = r#"{
    "text":"New shoes",
    "image":"https://shop.example/shoes.png",
    "title":"Shoes",
    "description":"Red\nand blue",
    "url":"https://shop.example/shoes",
    "buttons":[
        {
            "label":"Buy",
            "type":"postback",
            "postback_text":"buy",
            "payload":{"url":"https://shop.example/buy","method":"get","payload":{"id":1}}
        },
        {
            "label":"Look",
            "type":"link",
            "postback_text":"",
            "payload":{"url":"https://shop.example/shoes"}
        }
    ]
}"#;

const CAROUSEL: &str = r#"{
    "cards":[
        {
            "image":"https://shop.example/shoes.png",
            "title":"Shoes",
            "description":"Red\nand blue",
            "default_action":{
                "type":"postback",
                "postback_text":"shoes",
                "payload":{"url":"https://shop.example/shoes","method":"get","payload":null}
            },
            "buttons":[
                {
                    "label":"Buy",
                    "type":"postback",
                    "postback_text":"",
                    "payload":{"url":"https://shop.example/buy","method":"get","payload":null}
                }
            ]
        },
        {"title":"Hats"}
    ]
}"#;

const CONTACT_PERSON: &str = r#"{"name":"Bob","value":"+62812345","type":"phone"}"#;

const CUSTOM: &str = r#"{"type":"poll","content":{"question":"When?","days":[1,2.50]}}"#;

const FILE_ATTACHMENT: &str = r#"{
    "url":"https://files.example/plan.pdf",
    "caption":"The plan",
    "file_name":"plan.pdf",
    "size":20480,
    "pages":3
}"#;

const LOCATION: &str = r#"{
    "name":"Old Market",
    "address":"Main street 1",
    "latitude":-7.7560,
    "longitude":110.3775,
    "map_url":"https://maps.example/?q=-7.756,110.3775"
}"#;

const REPLY: &str = r#"{"text":"Yes, it is","replied_comment_id":41}"#;

/// Returns the types in the order of the spec, each with a payload.
pub(super) fn all() -> Vec<(&'static str, String)> {
    let all = [
        ("account_linking", ACCOUNT_LINKING),
        ("button_postback_response", BUTTON_POSTBACK_RESPONSE),
        ("buttons", BUTTONS),
        ("card", CARD),
        ("carousel", CAROUSEL),
        ("contact_person", CONTACT_PERSON),
        ("custom", CUSTOM),
        ("file_attachment", FILE_ATTACHMENT),
        ("location", LOCATION),
        ("reply", REPLY),
        ("text", "{}"),
    ];
    all.into_iter().map(|(kind, payload)| (kind, on_one_line(payload))).collect()
}

/// Returns the payload of one type.
pub(super) fn of(kind: &str) -> String {
    let found = all().into_iter().find(|(name, _)| *name == kind);
    found.expect("every type has an example").1
}

fn on_one_line(json: &str) -> String {
    json.lines().map(str::trim).collect()
}
