//! A customer's personal data.

use serde::{Deserialize, Serialize};
use vivant::Saved;

/// The password of every customer that the loader makes.
pub const PASSWORD: &str = "password";

/// The name under which customer `number` logs in.
pub fn user_name(number: u32) -> String {
    format!("uid{number}@email.com")
}

/// The number of the customer with this login name.
pub fn customer_number(user: &str) -> Option<u32> {
    let digits = user.strip_prefix("uid")?.strip_suffix("@email.com")?;
    let number = digits.parse().ok()?;
    // `uid007@email.com` and `uid+7@email.com` are not login names.
    (user_name(number) == user).then_some(number)
}

/// A customer's data, as the API shows them. The password is not among them.
#[derive(Saved, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The name under which the customer logs in.
    #[serde(rename = "_id")]
    pub id: String,
    /// A word for how much he or she flies.
    pub status: String,
    /// Miles flown.
    pub total_miles: u64,
    /// Miles flown this year.
    pub miles_ytd: u64,
    /// Where letters go.
    pub address: PostalAddress,
    /// A telephone number.
    #[serde(rename = "phoneNumber")]
    pub phone_number: String,
    /// Whether it is at home or at work.
    #[serde(rename = "phoneNumberType")]
    pub phone_number_type: String,
}

/// Where letters go.
#[derive(Saved, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostalAddress {
    /// Street and number.
    pub street_address1: String,
    /// More of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street_address2: Option<String>,
    /// The city.
    pub city: String,
    /// The state or province.
    pub state_province: String,
    /// The country.
    pub country: String,
    /// The postal code.
    pub postal_code: String,
}

/// The data that a customer may change. The API takes a whole profile; its immutable fields are
/// ignored.
#[derive(Saved, Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ProfileUpdate {
    /// The customer's own password: it authenticates the request.
    pub password: String,
    /// The new address.
    pub address: PostalAddress,
    /// The new telephone number.
    #[serde(rename = "phoneNumber")]
    pub phone_number: String,
    /// And where it is.
    #[serde(rename = "phoneNumberType")]
    pub phone_number_type: String,
}

impl Profile {
    /// The data that the loader gives to customer `number`.
    pub fn sample(number: u32) -> Profile {
        Profile {
            id: user_name(number),
            status: "GOLD".to_owned(),
            total_miles: 1_000_000,
            miles_ytd: 1_000,
            address: PostalAddress {
                street_address1: "123 Main St.".to_owned(),
                street_address2: None,
                city: "Anytown".to_owned(),
                state_province: "NC".to_owned(),
                country: "USA".to_owned(),
                postal_code: "27617".to_owned(),
            },
            phone_number: "919-123-4567".to_owned(),
            phone_number_type: "BUSINESS".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_inverse() {
        for number in [0, 1, 9_999, u32::MAX] {
            assert_eq!(customer_number(&user_name(number)), Some(number));
        }
        for user in [
            "",
            "uid@email.com",
            "uid007@email.com",
            "uid+7@email.com",
            "uid-1@email.com",
            "uid4294967296@email.com",
            "uid1@email.org",
        ] {
            assert_eq!(customer_number(user), None, "{user}");
        }
    }
}
